import type { AccountId } from '../../streams/internal.ts';

/** A tracked account and its path segment. */
export interface AccountPath {
  readonly id: AccountId;
  readonly segment: string;
}
