/** The bucket with the highest share; undefined where none is known. */
export function likeliest<M>(
  markets: readonly M[],
  shareOf: (market: M) => number | null | undefined,
): M | undefined {
  const known = markets.filter((market) => shareOf(market) != null);
  return known.toSorted((a, b) => (shareOf(b) ?? 0) - (shareOf(a) ?? 0))[0];
}
