/** USD to the cent. */
export function cents(usd: number): number {
  return Math.round(usd * 100) / 100;
}

/** Amounts of whole cents, added without a trace of binary fractions. */
export function sumOfCents(amounts: readonly number[]): number {
  return amounts.reduce((sum, usd) => sum + Math.round(usd * 100), 0) / 100;
}

/**
 * `part` in percent of `whole`, to 2 decimals. Of nothing, a part is 100 % with its sign, and nothing is 0 %: an edge
 * at a price of 0 and a profit on shares that cost nothing follow the same rule.
 */
export function percentOf(part: number, whole: number): number {
  if (whole === 0) return 100 * Math.sign(part);
  return Math.round((10_000 * part) / whole) / 100;
}
