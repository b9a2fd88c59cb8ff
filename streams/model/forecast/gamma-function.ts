import { ln } from './exact.ts';

const HALF_LN_TWO_PI = 0.9189385332046728;
/** From here on eight terms of the asymptotic series are exact to the last digits. */
const ASYMPTOTIC_FROM = 8;

/** Bernoulli numbers B2 to B16. */
const BERNOULLI = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2_730, 7 / 6, -3_617 / 510];
const TERMS = BERNOULLI.length;
const LGAMMA_SERIES = Float64Array.from(BERNOULLI, (b, k) => b / ((2 * k + 2) * (2 * k + 1)));
const DIGAMMA_SERIES = Float64Array.from(BERNOULLI, (b, k) => b / (2 * k + 2));
const TRIGAMMA_SERIES = Float64Array.from(BERNOULLI);

function sumOf(series: Float64Array, square: number): number {
  let sum = 0;
  for (let k = TERMS - 1; k >= 0; k--) sum = sum * square + (series[k] ?? 0);
  return sum;
}

/** ln of the gamma function for x > 0. */
export function lgamma(x: number): number {
  let product = 1;
  let at = x;
  for (; at < ASYMPTOTIC_FROM; at++) product *= at;
  const series = sumOf(LGAMMA_SERIES, 1 / (at * at)) / at;
  return (at - 0.5) * ln(at) - at + HALF_LN_TWO_PI + series - (product === 1 ? 0 : ln(product));
}

/** The derivative of `lgamma` for x > 0. */
export function digamma(x: number): number {
  let shift = 0;
  let at = x;
  for (; at < ASYMPTOTIC_FROM; at++) shift += 1 / at;
  const square = 1 / (at * at);
  return ln(at) - 0.5 / at - sumOf(DIGAMMA_SERIES, square) * square - shift;
}

/** The derivative of `digamma` for x > 0. */
export function trigamma(x: number): number {
  let shift = 0;
  let at = x;
  for (; at < ASYMPTOTIC_FROM; at++) shift += 1 / (at * at);
  const square = 1 / (at * at);
  return 1 / at + 0.5 * square + (sumOf(TRIGAMMA_SERIES, square) * square) / at + shift;
}
