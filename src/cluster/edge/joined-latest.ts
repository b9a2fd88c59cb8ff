import { map, merge } from 'rxjs';
import type { AccountId, Output, StreamName } from '../../../streams/internal.ts';
import type { AccountPath } from '../../views/account-path.ts';
import type { Latest, OutputOf } from '../../views/latest.ts';
import { joinFreshness, type ShardFreshness } from './joined-freshness.ts';

interface JoinedShard {
  readonly latest: Latest;
  readonly accounts: readonly AccountPath[];
}

/** Streams that every engine has of its own, whatever its accounts; readers see those of the first shard. */
const OF_NO_ACCOUNT: readonly StreamName[] = ['spot', 'models', 'freshness'];

/** The latest values of several shards as if one log had made them. What is about no account is that of the first one. */
export function joinLatest(first: JoinedShard, others: readonly JoinedShard[]): Latest {
  if (others.length === 0) return first.latest;
  const all = [first, ...others];
  const byAccount = new Map(all.flatMap((shard) => shard.accounts.map(({ id }) => [id, shard.latest])));
  const latestOf = (account: AccountId) => byAccount.get(account) ?? first.latest;
  let joined: { readonly from: readonly unknown[]; readonly freshness: OutputOf<'freshness'> } | undefined;

  function freshness(account?: AccountId): OutputOf<'freshness'> | undefined {
    if (account !== undefined) return latestOf(account).freshness();
    const from = all.map(({ latest }) => latest.freshness());
    if (joined === undefined || from.some((each, index) => each !== joined?.from[index])) {
      const [own, ...rest] = all.flatMap(({ latest, accounts }): readonly ShardFreshness[] => {
        const known = latest.freshness();
        return known === undefined ? [] : [{ freshness: known, accounts }];
      });
      if (own === undefined) return undefined;
      joined = { from, freshness: joinFreshness(own, rest) };
    }
    return joined.freshness;
  }

  /** Whether readers see an output of a shard that is not the first. */
  const isShown =
    (latest: Latest) =>
    (output: Output): boolean => {
      if (OF_NO_ACCOUNT.includes(output.stream)) return false;
      if (output.stream === 'events') return output.record.subject.type === 'posts';
      if (output.stream !== 'prices') return true;
      return latest.get('events', String(output.record.eventId))?.record.subject.type !== 'crypto';
    };

  function get<S extends StreamName>(stream: S, key: string): OutputOf<S> | undefined {
    for (const { latest } of all) {
      const found = latest.get(stream, key);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  return {
    /** Grows whenever that of a shard does. */
    get seq() {
      return all.reduce((sum, { latest }) => sum + latest.seq, 0);
    },
    speed: first.latest.speed,
    sinceTick: (account) => (account === undefined ? first.latest : latestOf(account)).sinceTick(),
    get at() {
      return Math.max(...all.map(({ latest }) => latest.at));
    },
    get,
    *all(stream) {
      yield* first.latest.all(stream);
      for (const { latest } of others) {
        const shown = isShown(latest);
        for (const output of latest.all(stream)) if (shown(output)) yield output;
      }
    },
    ofAccount: (stream, account) => latestOf(account).ofAccount(stream, account),
    readMore(stream) {
      for (const { latest } of all) {
        const read = latest.readMore(stream);
        if (read > 0) return read;
      }
      return 0;
    },
    *formerAccounts(eventKey) {
      for (const { latest } of all) yield* latest.formerAccounts(eventKey);
    },
    windows: (account) => latestOf(account).windows(account),
    posts: (account) => latestOf(account).posts(account),
    freshness,
    change$: merge(
      first.latest.change$,
      ...others.map(({ latest }) => latest.change$.pipe(map((outputs) => outputs.filter(isShown(latest))))),
    ),
  };
}
