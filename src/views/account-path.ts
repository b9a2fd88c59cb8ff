import type { AgeLimits, SourceName } from '../../streams/internal.ts';
import type { PublicAccount } from '../contract/account.ts';

/** A tracked account as the rooms of readers know it. */
export interface AccountPath extends PublicAccount {
  /** Its inputs are stale when they are older than this. */
  readonly staleAfterMs: AgeLimits;
}

/** The name of a source on the wire: `posts:a` becomes `posts/account_a`. */
export type WireName = (source: SourceName) => string;

export function wireNames(accounts: readonly AccountPath[]): WireName {
  const segments = new Map(accounts.map(({ id, segment }) => [id, segment]));
  return (source) => {
    const [role = '', id = ''] = source.split(':');
    const segment = segments.get(id);
    return segment === undefined ? source : `${role}/${segment}`;
  };
}
