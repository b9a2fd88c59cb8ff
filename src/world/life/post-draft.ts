import type { Rng } from '../rng.ts';
import type { Account } from './accounts.ts';
import type { PostKind } from './post-kind.ts';

/** A post before it has an id: `parent` is the post a self reply continues. */
export interface Draft {
  readonly at: number;
  readonly kind: PostKind;
  readonly parent: Draft | null;
}

/** An original, a quote or a repost, in the account's own mix. */
export function countedKind(account: Account, rng: Rng): PostKind {
  const draw = rng.next();
  if (draw < account.repostShare) return 'repost';
  return draw < account.repostShare + account.quoteShare ? 'quote' : 'original';
}
