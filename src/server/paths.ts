import type { AccountId } from '../../streams/index.ts';

export const API_PREFIX = '/api/v1';

/** A tracked account and the literal path segment it is served under. */
export interface AccountPath {
  readonly id: AccountId;
  readonly segment: string;
}
