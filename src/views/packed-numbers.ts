/** A map of whole numbers below 2^32 that takes 8 bytes an entry, and never changes. */
export interface PackedNumbers {
  readonly size: number;
  get(key: number): number | undefined;
}

export function packNumbers(entries: ReadonlyMap<number, number>): PackedNumbers {
  const [keys, values] = columnsOf(entries);
  return {
    size: keys.length,
    get(key) {
      let low = 0;
      let high = keys.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((keys[middle] ?? 0) < key) low = middle + 1;
        else high = middle;
      }
      return keys[low] === key ? values[low] : undefined;
    },
  };
}

/** Apart from the look-up: all functions that are made in one call keep what any of them uses, here the map itself. */
function columnsOf(entries: ReadonlyMap<number, number>): readonly [keys: Uint32Array, values: Uint32Array] {
  const keys = Uint32Array.from(entries.keys()).sort();
  return [keys, Uint32Array.from(keys, (key) => entries.get(key) ?? 0)];
}
