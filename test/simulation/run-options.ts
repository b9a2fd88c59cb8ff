import { execFileSync } from 'node:child_process';

/** The value of an option. */
export function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (!(number >= 0)) throw new RangeError(`--${name} is a number, was ${text}`);
  return number;
}

/** The commit of the working folder, which a failure names. */
export function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
