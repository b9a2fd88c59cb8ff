/** To 4 decimals, the precision of every published price, probability and fraction. */
export function round4(value: number): number {
  // Without the sign of a zero, which JSON does not carry.
  return Math.round(value * 10_000) / 10_000 + 0;
}
