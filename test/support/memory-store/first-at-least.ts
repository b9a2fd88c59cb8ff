/** The first place in an ascending list whose value is at least `least`, which `numberOf` tells; its length without one. */
export function firstAtLeast<T>(list: readonly T[], least: number, numberOf: (item: T) => number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = list[middle];
    if (item !== undefined && numberOf(item) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
