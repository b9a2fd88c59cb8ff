import type { Key } from '#database';
import { numberOf } from './output-mark.ts';

type FindGap = (key: Key, value: string | Buffer) => string | undefined;

/** Looks at the rows of a part in order, and says where rows are missing, for the parts where that can be told. */
export function createGapFinder(part: string): FindGap {
  let expected: number | undefined;
  const follow = (what: string, found: number, next: number): string | undefined => {
    const before = expected;
    expected = next;
    return before === undefined || before === found
      ? undefined
      : `${what} ${before} to ${found - 1} are missing`;
  };
  if (part === 'journal') {
    return (key, value) => {
      const length = blockLength(value);
      return follow('journal: seqs', Number(key), Number(key) + length);
    };
  }
  if (part === 'waitlist') {
    expected = 1;
    return (key) => follow('waitlist: places', Number(key), Number(key) + 1);
  }
  if (part.startsWith('history.')) {
    return (_key, value) => {
      const number = numberOf(value.toString());
      return follow(`${part}: rows`, number, number + 1);
    };
  }
  return () => undefined;
}

/** A block of the log is an array of observations. */
function blockLength(value: string | Buffer): number {
  return (JSON.parse(value.toString()) as unknown[]).length;
}
