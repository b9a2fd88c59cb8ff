import type { SourceName } from '../../../streams/internal.ts';
import { ageLimit } from '../../../streams/internal.ts';
import type { AccountPath } from '../../views/account-path.ts';
import type { OutputOf } from '../../views/latest.ts';

type Freshness = OutputOf<'freshness'>;
type Ages = Readonly<Record<SourceName, number>>;

export interface ShardFreshness {
  readonly freshness: Freshness;
  readonly accounts: readonly Pick<AccountPath, 'id' | 'staleAfterMs'>[];
}

/** Only the first shard is asked about these. */
const OF_FIRST: readonly SourceName[] = ['crypto'];
const OF_ACCOUNTS = ['posts', 'oracle', 'ui'] as const;

/**
 * The freshness of all shards at the newest tick of any. Of a shard whose tick is older all ages have grown since then, and
 * a source may have become stale. A source that all shards have is as old as the oldest of them.
 */
export function joinFreshness(first: ShardFreshness, others: readonly ShardFreshness[]): Freshness {
  const all = [first, ...others];
  const at = Math.max(...all.map(({ freshness }) => freshness.at));
  const isOf = (shard: ShardFreshness) => (source: SourceName) =>
    shard === first || !OF_FIRST.includes(source);
  const ages: Record<SourceName, number> = {};
  const lagging: Record<SourceName, Ages> = {};
  const stale = new Set<SourceName>();
  const staleValues = new Set<string>();
  for (const shard of all) {
    const { record, at: tickAt } = shard.freshness;
    const grow = growBy(at - tickAt);
    const own = isOf(shard);
    for (const [source, age] of Object.entries(grow(record.ages))) {
      if (own(source)) ages[source] = Math.max(ages[source] ?? 0, age);
    }
    for (const [source, values] of Object.entries(record.lagging ?? {})) {
      if (own(source)) lagging[source] = { ...lagging[source], ...grow(values) };
    }
    for (const source of [...record.stale, ...lateIn(shard, grow(record.ages))]) {
      if (own(source)) stale.add(source);
    }
    for (const value of record.staleValues ?? []) if (own(value.split('/')[0] ?? '')) staleValues.add(value);
  }
  const listed = all.map(({ freshness }) => freshness.record.listedAt.posts);
  return {
    ...first.freshness,
    at,
    record: {
      ages,
      ...(Object.keys(lagging).length > 0 && { lagging }),
      stale: [...stale],
      ...(staleValues.size > 0 && { staleValues: [...staleValues] }),
      listedAt: {
        posts: listed.some((each) => each === null) ? null : Math.min(...listed.map((each) => each ?? 0)),
        crypto: first.freshness.record.listedAt.crypto,
      },
    },
  };
}

function growBy(ms: number): (ages: Ages) => Ages {
  return (ages) => Object.fromEntries(Object.entries(ages).map(([name, age]) => [name, age + ms]));
}

/** Sources of its accounts that are past their limits by now. */
function lateIn({ accounts }: ShardFreshness, ages: Ages): readonly SourceName[] {
  return accounts.flatMap(({ id, staleAfterMs }) =>
    OF_ACCOUNTS.filter((input) => (ages[`${input}:${id}`] ?? 0) > ageLimit(staleAfterMs, input)).map(
      (input) => `${input}:${id}`,
    ),
  );
}
