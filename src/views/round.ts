/** Prices, probabilities and fractions have 4 decimals on the wire. Null stays null. */
export function round4(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10_000) / 10_000;
}
