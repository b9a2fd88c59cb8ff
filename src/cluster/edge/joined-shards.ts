import { type Topic, topicsOf } from '../../feed/channels.ts';
import { createFollowedFrames, type FollowedFrames } from '../../feed/log/followed-frames.ts';
import type { AccountPath } from '../../views/account-path.ts';
import type { AgeLimits } from '../../views/as-of.ts';
import type { Latest } from '../../views/latest.ts';
import type { FollowedShard } from './edge-shards.ts';
import { joinLatest } from './joined-latest.ts';

/** Several shards as one service. */
export interface JoinedShards {
  readonly latest: Latest;
  readonly accounts: readonly AccountPath[];
  readonly staleAfterMs: AgeLimits;
  readonly topics: readonly Topic[];
  readonly frames: FollowedFrames;
  /** The names of all. */
  readonly shards: readonly string[];
  /** The shard that an account belongs to; undefined of an account that there is not. */
  shardOf(segment: string): string | undefined;
  /** Follows the caches no more. */
  close(): void;
}

/**
 * Joins shards by account. Records and channels of no account are those of the first one. Of accounts with the same id or
 * segment the first is served; `refused` is told of others.
 */
export function joinShards(
  [first, ...others]: readonly [FollowedShard, ...FollowedShard[]],
  epoch: string,
  refused: (account: AccountPath, shard: string) => void,
): JoinedShards {
  const shards = [first, ...others];
  const owners = new Map<AccountPath, FollowedShard>();
  for (const shard of shards) {
    for (const account of shard.registration.accounts) {
      const isTaken = Array.from(owners.keys()).some(
        ({ id, segment }) => id === account.id || segment === account.segment,
      );
      if (isTaken) refused(account, shard.name);
      else owners.set(account, shard);
    }
  }
  const accounts = [...owners.keys()];
  const accountsOf = (shard: FollowedShard) => accounts.filter((account) => owners.get(account) === shard);
  const toJoin = (shard: FollowedShard) => ({ latest: shard.cache.latest, accounts: accountsOf(shard) });
  const latest = joinLatest(toJoin(first), others.map(toJoin));
  const topics = topicsOf(accounts);
  const ownerOf = ({ account }: Topic) => (account === null ? first : (owners.get(account) ?? first));
  const byStoredName = new Map(topics.map((topic) => [topic.storedAs, ownerOf(topic)]));
  const feedOf = (storedAs: string) => (byStoredName.get(storedAs) ?? first).cache.store.feed;
  const frames = createFollowedFrames({
    epoch,
    topics,
    window: {
      oldest: (topic) => feedOf(topic).oldest(topic),
      read: (topic, seq, limit) => feedOf(topic).read(topic, seq, limit),
    },
    stored: shards.flatMap((shard) =>
      shard.cache.store.feed.topics().filter(({ topic }) => byStoredName.get(topic) === shard),
    ),
    storedUpTo: (topic) => ownerOf(topic).cache.framesUpTo(),
  });

  const subscriptions = shards.map((shard) =>
    shard.cache.frames$.subscribe(({ rows, tick, goneBefore }) => {
      const covers = (topic: Topic) => ownerOf(topic) === shard;
      if (others.length === 0) frames.publish({ rows, tick, covers });
      else {
        frames.publish({ rows, covers });
        const publishTick = (tickOf: typeof tick, isCovered: (topic: Topic) => boolean) =>
          frames.publish({ rows: [], tick: tickOf, covers: isCovered });
        if (tick !== undefined) publishTick(tick, (topic) => topic.account !== null && covers(topic));
        // That of all accounts says how old the sources of all shards are.
        if (tick !== undefined && shard === first)
          publishTick(latest.freshness(), (topic) => topic.account === null);
      }
      if (goneBefore !== undefined) frames.forgetGone(goneBefore);
    }),
  );

  return {
    latest,
    accounts,
    staleAfterMs: first.registration.staleAfterMs,
    topics,
    frames,
    shards: [first, ...others].map(({ name }) => name),
    shardOf(segment) {
      const account = accounts.find((each) => each.segment === segment);
      return account && owners.get(account)?.name;
    },
    close() {
      for (const subscription of subscriptions) subscription.unsubscribe();
    },
  };
}
