import type { Store } from '../../src/store/store.ts';
import type { Violations } from './violations.ts';

/** A post that was deleted in the world. Virtual ms. */
export interface DeletedPost {
  readonly id: string;
  readonly createdAt: number;
  readonly deletedAt: number;
}

/** What was looked at once is looked at again before it is so many times as old. */
const AGES_UNTIL_LOOKED_AT = 4;
/** A post is deleted once it was missing twice, and each poll may come a little late. */
const POLLS = 3;

/**
 * Checks that posts which were deleted are known to be, where they were known at all, and stay so. `calmSince` is when faults
 * were over, `periodMs` the time between two polls.
 */
export function checkNoticed(
  deleted: readonly DeletedPost[],
  {
    kept,
    violations,
    now,
    calmSince,
    periodMs,
  }: {
    readonly kept: Pick<Store, 'outputs'>;
    readonly violations: Violations;
    readonly now: number;
    readonly calmSince: number;
    readonly periodMs: number;
  },
): void {
  for (const { id, createdAt, deletedAt } of deleted) {
    const lookedAt = createdAt + AGES_UNTIL_LOOKED_AT * (deletedAt - createdAt);
    if (now < Math.max(lookedAt, calmSince) + POLLS * periodMs) continue;
    const post = kept.outputs.get('posts', id);
    if (post?.stream !== 'posts') continue;
    violations.check(
      1,
      post.record.deletedAt !== null,
      () => `the post ${id} was deleted ${Math.round((now - deletedAt) / 1_000)} s ago, which is not known`,
    );
  }
}
