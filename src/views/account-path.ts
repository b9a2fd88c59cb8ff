import type { AccountId } from '../../streams/internal.ts';

/** A tracked account and the literal path segment it is served under. */
export interface AccountPath {
  readonly id: AccountId;
  readonly segment: string;
}
