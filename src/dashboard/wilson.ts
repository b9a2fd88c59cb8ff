/** Two-sided 95 % quantile of the normal distribution. */
const Z = 1.96;

/** Wilson's 95 % interval for a share that was measured as `share` in `n` trials. */
export function wilson(share: number, n: number): readonly [number, number] {
  if (n === 0) return [0, 1];
  const z2 = Z * Z;
  const centre = (share + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z / (1 + z2 / n)) * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n));
  return [Math.max(0, centre - half), Math.min(1, centre + half)];
}
