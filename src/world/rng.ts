/** What a chance is derived from: the seed, the name of the thing, its number or instant. */
export type Part = number | string;

const GOLDEN = 0x9e3779b9;
const TWO_32 = 4_294_967_296;

function mix(value: number): number {
  let h = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return h ^ (h >>> 15);
}

/** An unsigned 32-bit hash. Whole numbers keep all 53 bits, so instants in ms do not collide. */
export function hash32(...parts: readonly Part[]): number {
  let h = GOLDEN;
  for (const part of parts) {
    if (typeof part === 'number') {
      h = mix((h + GOLDEN) ^ (part | 0));
      h = mix(h ^ Math.floor(part / TWO_32));
    } else {
      for (let index = 0; index < part.length; index++) h = mix((h + GOLDEN) ^ part.charCodeAt(index));
      h = mix(h ^ part.length);
    }
  }
  return h >>> 0;
}

/** A number in [0, 1) that depends on nothing but `parts`. */
export function unit(...parts: readonly Part[]): number {
  return hash32(...parts) / TWO_32;
}

/** About normal around 0 with deviation 1, for any `place` on a line: near places are alike, those 1 apart are not. */
export function smoothNoise(place: number, ...parts: readonly Part[]): number {
  const cell = Math.floor(place);
  const share = place - cell;
  const [from, to] = [roughlyNormal(cell, parts), roughlyNormal(cell + 1, parts)];
  const angle = (share * Math.PI) / 2;
  return Math.cos(angle) * from + Math.sin(angle) * to;
}

/** The sum of four even numbers, at deviation 1. */
function roughlyNormal(cell: number, parts: readonly Part[]): number {
  let sum = 0;
  for (let index = 0; index < 4; index++) sum += unit(index, cell, ...parts);
  return (sum - 2) * Math.sqrt(3);
}

/** `length` hexadecimal digits. */
export function hex(length: number, ...parts: readonly Part[]): string {
  let text = '';
  for (let block = 0; text.length < length; block++) {
    text += hash32(block, ...parts)
      .toString(16)
      .padStart(8, '0');
  }
  return text.slice(0, length);
}

/** A version 4 shaped uuid. */
export function uuid(...parts: readonly Part[]): string {
  const digits = hex(32, 'uuid', ...parts);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`;
}

/** A uuid whose last part is a number, below 2^48. */
export function numberedUuid(number: number, ...parts: readonly Part[]): string {
  return `${uuid(...parts).slice(0, -12)}${number.toString(16).padStart(12, '0')}`;
}

/** The number in the last part of a uuid; NaN where there is none. */
export function numberOfUuid(text: string): number {
  return Number.parseInt(text.slice(-12), 16);
}

export interface Rng {
  /** In [0, 1). */
  next(): number;
  between(low: number, high: number): number;
  /** A whole number, both ends included. */
  int(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
  normal(): number;
  exponential(mean: number): number;
  /** How many of rare events happen when `mean` are expected. */
  poisson(mean: number): number;
}

export function createRng(...parts: readonly Part[]): Rng {
  let state = hash32(...parts);
  const next = (): number => {
    state = (state + GOLDEN) | 0;
    return (mix(state) >>> 0) / TWO_32;
  };
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    int: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
    pick: (items) => items[Math.floor(next() * items.length)] ?? items[0],
    normal,
    exponential: (mean) => -mean * Math.log(1 - next()),
    poisson(mean) {
      // The product below would underflow; so many are as good as normal.
      if (mean > 100) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()));
      let count = -1;
      for (let product = 1; product > Math.exp(-mean); product *= next()) count++;
      return count;
    },
  };
}
