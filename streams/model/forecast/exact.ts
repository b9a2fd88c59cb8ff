/**
 * Elementary functions built from operations that IEEE 754 defines to the last bit. ECMAScript leaves the accuracy of
 * `Math.exp` and others to the implementation, but forecasts must have the same digits on every machine.
 */

const { LN2, SQRT1_2 } = Math;
/** The first 33 bits of ln 2, so that its multiples are exact, and the rest. */
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
const MIN_EXPONENT = -1_074;
const MAX_EXPONENT = 1_023;
/** Leading zeros are counted in 32-bit integers. */
const WORD_BITS = 32;
const WORD = 2 ** WORD_BITS;

const POWERS_OF_TWO = powersOfTwo();
const RECIPROCAL_FACTORIALS = reciprocalFactorials(14);

function powersOfTwo(): Float64Array {
  const powers = new Float64Array(MAX_EXPONENT - MIN_EXPONENT + 1);
  let power = 1;
  for (let exponent = 0; exponent <= MAX_EXPONENT; exponent++, power *= 2)
    powers[exponent - MIN_EXPONENT] = power;
  power = 1;
  for (let exponent = 0; exponent >= MIN_EXPONENT; exponent--, power /= 2)
    powers[exponent - MIN_EXPONENT] = power;
  return powers;
}

function reciprocalFactorials(count: number): Float64Array {
  const values = new Float64Array(count);
  let factorial = 1;
  for (let index = 0; index < count; index++, factorial *= index) values[index] = 1 / factorial;
  return values;
}

function twoTo(exponent: number): number {
  return POWERS_OF_TWO[exponent - MIN_EXPONENT] ?? 0;
}

/** e^x: 0 below the smallest number, infinite above the largest. */
export function exp(x: number): number {
  if (x > 709.782712893384) return Number.POSITIVE_INFINITY;
  if (x < -745.1332191019412) return 0;
  const exponent = Math.floor(x / LN2 + 0.5);
  const rest = x - exponent * LN2_HIGH - exponent * LN2_LOW;
  let sum = 0;
  for (let index = 13; index >= 0; index--) sum = sum * rest + (RECIPROCAL_FACTORIALS[index] ?? 0);
  // In two steps where 2^exponent alone is out of range though the product is not.
  if (exponent > MAX_EXPONENT) return sum * 2 * twoTo(exponent - 1);
  return exponent < -1_000 ? sum * twoTo(exponent + 100) * twoTo(-100) : sum * twoTo(exponent);
}

/** The natural logarithm: -infinity at 0, NaN below. */
export function ln(x: number): number {
  if (!(x > 0)) return x === 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  if (x === Number.POSITIVE_INFINITY) return x;
  if (x < 2.2250738585072014e-308) return ln(x * 18_014_398_509_481_984) - 54 * LN2;
  // x is mantissa * 2^exponent; products with powers of two are exact.
  let mantissa = x;
  let exponent = 0;
  for (; mantissa >= WORD; exponent += WORD_BITS) mantissa /= WORD;
  for (; mantissa < 1; exponent -= WORD_BITS) mantissa *= WORD;
  const places = WORD_BITS - Math.clz32(mantissa);
  mantissa *= twoTo(-places);
  exponent += places;
  if (mantissa < SQRT1_2) {
    mantissa *= 2;
    exponent -= 1;
  }
  const ratio = (mantissa - 1) / (mantissa + 1);
  const square = ratio * ratio;
  let sum = 0;
  for (let odd = 23; odd >= 3; odd -= 2) sum = (sum + 1 / odd) * square;
  return exponent * LN2_HIGH + (exponent * LN2_LOW + (2 * ratio + 2 * ratio * sum));
}

/** cos and sin of a number of whole turns, so that no reduction by pi loses digits. */
export function cosTurns(turns: number): number {
  const quarters = Math.floor(turns * 4 + 0.5);
  const angle = (turns - quarters / 4) * (2 * Math.PI);
  const quadrant = ((quarters % 4) + 4) % 4;
  if (quadrant === 0) return cosNear(angle);
  if (quadrant === 1) return -sinNear(angle);
  return quadrant === 2 ? -cosNear(angle) : sinNear(angle);
}

export function sinTurns(turns: number): number {
  return cosTurns(turns - 0.25);
}

/** For angles up to pi / 4. */
function cosNear(angle: number): number {
  const square = angle * angle;
  let term = 1;
  let sum = 1;
  for (let even = 2; even <= 18; even += 2) {
    term *= -square / ((even - 1) * even);
    sum += term;
  }
  return sum;
}

function sinNear(angle: number): number {
  const square = angle * angle;
  let term = angle;
  let sum = angle;
  for (let odd = 3; odd <= 19; odd += 2) {
    term *= -square / ((odd - 1) * odd);
    sum += term;
  }
  return sum;
}
