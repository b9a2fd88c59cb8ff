interface Shrunk<T> {
  readonly items: readonly T[];
  /** Whether it is known that none of them can be left out alone. */
  readonly isMinimal: boolean;
}

/**
 * Leaves items out as long as what is left still fails, first many at a time, then one by one. `fails` holds for `items`.
 * Each question is asked only if `mayAsk`; without that the best answer so far is given.
 */
export async function shrinkList<T>(
  items: readonly T[],
  fails: (some: readonly T[]) => Promise<boolean>,
  mayAsk: () => boolean = () => true,
): Promise<Shrunk<T>> {
  let left = items;
  for (let size = left.length; size > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    let isRepeated: boolean;
    do {
      isRepeated = false;
      for (let start = 0; start < left.length; ) {
        if (!mayAsk()) return { items: left, isMinimal: false };
        const rest = [...left.slice(0, start), ...left.slice(start + size)];
        if (await fails(rest)) {
          left = rest;
          // What could not be left out beside it may be left out without it.
          isRepeated = size === 1;
        } else start += size;
      }
    } while (isRepeated);
  }
  return { items: left, isMinimal: true };
}
