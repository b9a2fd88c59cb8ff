/** Counts a bucket stands for, bounds inclusive; `hi` null for no upper bound. */
interface CountRange {
  readonly lo: number;
  readonly hi: number | null;
}

// What is counted may be named beside any number or at the end: `240+ tweets`, `40 posts or fewer`.
const NOUN = /(?<![a-z])(?:tweets?|posts?|times)(?![a-z])/gi;
const NUMBER = String.raw`(\d{1,3}(?:,\d{3})+|\d{1,15})`;
const form = (pattern: string) => new RegExp(`^${pattern}$`, 'i');

// Read in order; the first that fits decides.
const FORMS: readonly (readonly [RegExp, (a: number, b: number) => CountRange])[] = [
  [form(`${NUMBER}\\s*(?:[-\u2010-\u2015\u2212]|to)\\s*${NUMBER}`), (a, b) => ({ lo: a, hi: b })],
  [form(`between\\s*${NUMBER}\\s*and\\s*${NUMBER}`), (a, b) => ({ lo: a, hi: b })],
  [form(`(?:<|less than|fewer than|under|below)\\s*${NUMBER}`), (a) => ({ lo: 0, hi: a - 1 })],
  [form(`(?:\u2264|<=|at most|up to)\\s*${NUMBER}`), (a) => ({ lo: 0, hi: a })],
  [form(`${NUMBER}\\s*(?:or|and)\\s*(?:fewer|less|below|under)`), (a) => ({ lo: 0, hi: a })],
  [form(`${NUMBER}\\s*\\+`), (a) => ({ lo: a, hi: null })],
  [form(`${NUMBER}\\s*(?:or|and)\\s*(?:more|above|over|higher)`), (a) => ({ lo: a, hi: null })],
  [form(`(?:\u2265|>=|at least)\\s*${NUMBER}`), (a) => ({ lo: a, hi: null })],
  [form(`(?:>|more than|over|above)\\s*${NUMBER}`), (a) => ({ lo: a + 1, hi: null })],
  [form(NUMBER), (a) => ({ lo: a, hi: a })],
];

/** Reads a bucket's label such as `<40`, `200-219 posts`, `1,920–1,999` or `240+`; null when it is no range of counts. */
export function parseBucketLabel(label: string): CountRange | null {
  // A blank stays in place of the noun, so that it still divides two numbers.
  const text = label.replace(NOUN, ' ').trim();
  for (const [pattern, range] of FORMS) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const { lo, hi } = range(toNumber(match[1]), toNumber(match[2]));
    return hi !== null && hi < lo ? null : { lo, hi };
  }
  return null;
}

function toNumber(digits: string | undefined): number {
  return Number((digits ?? '').replaceAll(',', ''));
}
