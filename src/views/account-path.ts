import type { AgeLimits, SourceName } from '../../streams/internal.ts';
import type { PublicAccount } from '../contract/account.ts';

/** A tracked account as the rooms of readers know it. */
export interface AccountPath extends PublicAccount {
  /** Its inputs are stale when they are older than this. */
  readonly staleAfterMs: AgeLimits;
}

/** `posts:a` becomes `posts/account_a` on the wire. */
export function wireName(source: SourceName, accounts: readonly AccountPath[]): string {
  const [role = '', id] = source.split(':');
  const account = accounts.find((each) => each.id === id);
  return account === undefined ? source : `${role}/${account.segment}`;
}
