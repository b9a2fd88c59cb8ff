import type { KnownPost } from '../source.ts';

/**
 * The next look at a post comes after this share of its age. A post that is deleted before the oracle takes it in does
 * not settle, so until then it is looked at often. Afterwards, and for posts that do not count, a deletion changes no
 * count, and a few looks a day are enough.
 */
const UNSETTLED_SHARE = 0.125;
const SETTLED_SHARE = 3;

type LookedAt = Pick<KnownPost, 'id' | 'createdAt' | 'isCounted' | 'oracleAt'>;

interface LookPlan {
  /** Forgets all other posts. */
  keep(posts: readonly LookedAt[]): void;
  isDue(post: LookedAt, now: number): boolean;
  looked(post: LookedAt, now: number, isMissing: boolean): void;
  /** How often in a row the post was missing. */
  misses(id: string): number;
}

/** When to look whether each post is still there: never twice within `periodMs`, and the rarer the older it is. */
export function createLookPlan(periodMs: number): LookPlan {
  let looks = new Map<string, { readonly at: number; readonly misses: number }>();
  return {
    keep(posts) {
      looks = new Map(
        posts.flatMap(({ id }) => {
          const look = looks.get(id);
          return look === undefined ? [] : [[id, look] as const];
        }),
      );
    },
    isDue({ id, createdAt, isCounted, oracleAt }, now) {
      const look = looks.get(id);
      // One miss is followed up at once. A clock that was set back makes every post due.
      if (look === undefined || look.misses > 0 || look.at > now) return true;
      const share = isCounted && oracleAt === null ? UNSETTLED_SHARE : SETTLED_SHARE;
      // Polls come each period, give or take a little.
      return now - look.at >= Math.max(periodMs / 2, share * (look.at - createdAt));
    },
    looked({ id }, now, isMissing) {
      looks.set(id, { at: now, misses: isMissing ? (looks.get(id)?.misses ?? 0) + 1 : 0 });
    },
    misses: (id) => looks.get(id)?.misses ?? 0,
  };
}
