import type { Violations } from './violations.ts';

/** A reader who is slow has little waiting, and what is sent to many at once may be longer. */
const MOST_BYTES = 1_048_576;

/** Looks at what waits to be sent over the connections of a server. */
export function checkWaitingBytes(
  ends: readonly { readonly writableLength: number }[],
  { check }: Pick<Violations, 'check'>,
): void {
  for (const { writableLength: bytes } of ends)
    check(18, bytes <= MOST_BYTES, () => `${bytes} bytes wait for somebody who does not read`);
}
