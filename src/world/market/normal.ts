/** Standard normal distribution function; good to about 1e-4, finer than any price step. */
export function normalCdf(z: number): number {
  const t = 1 / (1 + 0.33267 * Math.abs(z));
  const tail =
    (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * t * (0.4361836 + t * (-0.1201676 + t * 0.937298));
  return z >= 0 ? 1 - tail : tail;
}
