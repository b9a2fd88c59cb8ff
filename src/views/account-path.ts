import type { AccountId, SourceName } from '../../streams/internal.ts';

/** A tracked account and its path segment. */
export interface AccountPath {
  readonly id: AccountId;
  readonly segment: string;
  /** Whether its signals are BUY, HOLD and SKIP, and never SELL (spec 2.5). */
  readonly isBuyOnly?: boolean;
}

/** `posts:a` becomes `posts/account_a` on the wire. */
export function wireName(source: SourceName, accounts: readonly AccountPath[]): string {
  const [role = '', id] = source.split(':');
  const account = accounts.find((each) => each.id === id);
  return account === undefined ? source : `${role}/${account.segment}`;
}
