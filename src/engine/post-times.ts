/** The first index whose time is `at` or later, in ascending times. */
export function firstAtOrAfter(ascending: Float64Array, at: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function areSame(a: Float64Array, b: Float64Array): boolean {
  if (a.length !== b.length) return false;
  if (a.buffer === b.buffer && a.byteOffset === b.byteOffset) return true;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}
