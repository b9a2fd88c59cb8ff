/** To 4 decimals, the precision of every published price, probability and fraction. */
export function round4(value: number): number {
  // Adding 0 turns -0 into 0, as JSON does.
  return Math.round(value * 10_000) / 10_000 + 0;
}
