import { ln } from './exact.ts';

const HALF_LN_TWO_PI = 0.9189385332046728;
/** From here on eight terms of the asymptotic series are exact to the last digits. */
const ASYMPTOTIC_FROM = 10;

/** Bernoulli numbers B2 to B16. */
const BERNOULLI = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2_730, 7 / 6, -3_617 / 510] as const;

/** ln of the gamma function for x > 0. */
export function lgamma(x: number): number {
  let product = 1;
  let at = x;
  for (; at < ASYMPTOTIC_FROM; at++) product *= at;
  const square = 1 / (at * at);
  let sum = 0;
  for (let k = BERNOULLI.length; k >= 1; k--) {
    sum = sum * square + (BERNOULLI[k - 1] ?? 0) / (2 * k * (2 * k - 1));
  }
  return (at - 0.5) * ln(at) - at + HALF_LN_TWO_PI + sum / at - ln(product);
}

/** The derivative of `lgamma` for x > 0. */
export function digamma(x: number): number {
  let shift = 0;
  let at = x;
  for (; at < ASYMPTOTIC_FROM; at++) shift += 1 / at;
  const square = 1 / (at * at);
  let sum = 0;
  for (let k = BERNOULLI.length; k >= 1; k--) sum = (sum + (BERNOULLI[k - 1] ?? 0) / (2 * k)) * square;
  return ln(at) - 0.5 / at - sum - shift;
}

/** The derivative of `digamma` for x > 0. */
export function trigamma(x: number): number {
  let shift = 0;
  let at = x;
  for (; at < ASYMPTOTIC_FROM; at++) shift += 1 / (at * at);
  const square = 1 / (at * at);
  let sum = 0;
  for (let k = BERNOULLI.length; k >= 1; k--) sum = (sum + (BERNOULLI[k - 1] ?? 0)) * square;
  return 1 / at + 0.5 * square + sum / at + shift;
}
