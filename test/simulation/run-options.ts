import { execFileSync } from 'node:child_process';

/** The value of an option. */
export function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !(number >= 0)) throw new RangeError(`--${name} is a number, was ${text}`);
  return number;
}

/** The same of something that is counted, of which there is at least one. */
export function countOf(name: string, text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new RangeError(`--${name} is a whole number above 0, was ${text}`);
  return count;
}

/** The commit of the working folder, which a failure names. */
export function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
