/** The mean of the middle two when their number is even, or null without values. */
export function median(values: readonly number[]): number | null {
  const ascending = values.toSorted((a, b) => a - b);
  const middle = (ascending.length - 1) / 2;
  const low = ascending[Math.floor(middle)];
  const high = ascending[Math.ceil(middle)];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
