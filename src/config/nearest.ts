/** How many letters must be inserted, removed, replaced or swapped with their neighbour. */
export function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwap ? (beforePrevious[column - 2] ?? Number.POSITIVE_INFINITY) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/** The known name that was probably meant; undefined when none is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  // A name of a very different length is no typing error, and a very long one takes time to compare.
  const candidates = known
    .filter((other) => Math.abs(other.length - name.length) <= 4)
    .map((other) => ({ other, distance: editDistance(name.toLowerCase(), other.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = candidates;
  return best !== undefined && best.distance <= Math.max(2, name.length / 4) ? best.other : undefined;
}
