/** Whether two values of plain objects, lists and scalars are equal. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  // By their places: the keys of a list would be made into texts.
  return Array.isArray(a) && Array.isArray(b) ? isSameList(a, b) : isSameObject(a, b);
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let place = 0; place < a.length; place++) if (!isSame(a[place], b[place])) return false;
  return true;
}

function isSameObject(a: object, b: object): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys)
    if (!Object.hasOwn(b, key) || !isSame(Reflect.get(a, key), Reflect.get(b, key))) return false;
  return true;
}
