/**
 * `textOf`, which makes a text of a record and one further value, with the newest text of each record kept for as long as the
 * record itself: it is made again only when the further value is another one.
 */
export function keepingTexts<Of extends object, Further>(
  textOf: (record: Of, further: Further) => string,
): (record: Of, further: Further) => string {
  const kept = new WeakMap<Of, { readonly further: Further; readonly text: string }>();
  return (record, further) => {
    const known = kept.get(record);
    if (known !== undefined && known.further === further) return known.text;
    const text = textOf(record, further);
    kept.set(record, { further, text });
    return text;
  };
}
