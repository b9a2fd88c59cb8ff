/** USD to the cent. */
export function cents(usd: number): number {
  return Math.round(usd * 100) / 100;
}

/** Adds amounts in whole cents without binary rounding errors. */
export function sumOfCents(amounts: readonly number[]): number {
  return amounts.reduce((sum, usd) => sum + Math.round(usd * 100), 0) / 100;
}

/**
 * `part` in percent of `whole`, to 2 decimals. When `whole` is 0, as for shares that cost nothing, it is 100, -100 or 0
 * by the sign of `part`.
 */
export function percentOf(part: number, whole: number): number {
  if (whole === 0) return 100 * Math.sign(part);
  return Math.round((10_000 * part) / whole) / 100;
}
