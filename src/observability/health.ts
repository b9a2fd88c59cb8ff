import type { AccountId, SourceName } from '../../streams/internal.ts';
import type { RecordOf } from '../contract/record-of.ts';
import type { healthRecord } from '../contract/records/health.ts';
import type { AccountPath } from '../views/account-path.ts';
import type { Latest } from '../views/latest.ts';

/** What `GET /health` says, without its time. */
export type Health = Omit<RecordOf<typeof healthRecord>, 'timestamp'>;
type HealthStatus = Health['status'];

/** `read_only` while writes fail, for example on a full disk; `repaired` for a day after damage was repaired. */
export type StoreState = 'open' | 'repaired' | 'read_only' | 'closed';

export interface HealthInputs {
  /** With the ages from which their inputs are stale: of posts that is longer when they come from the oracle's list. */
  readonly accounts: readonly Pick<AccountPath, 'id' | 'staleAfterMs'>[];
  /** Per source, ms since its last good answer; a source that never answered is absent. */
  readonly ages: Readonly<Record<SourceName, number>>;
  readonly hasSnapshot: boolean;
  readonly store: StoreState;
  readonly failedActors: number;
  readonly isClockRight: boolean;
  /** For how long the process runs: a source that never answered is as old. */
  readonly uptimeMs: number;
  /** Whether every active event is known, and how many posts it has had. */
  readonly areCountsKnown: boolean;
}

/** From this age of a source on the service is degraded, though the values may still be right. */
const DEGRADED_AFTER_MS = {
  posts: 15_000,
  oracle: 30_000,
  ui: 30_000,
  prices: 15_000,
  events: 180_000,
  crypto: 60_000,
};

/**
 * `unavailable`: nothing to serve. `degraded`: serving, but something is old or broken. `starting`: serving, but a source
 * has not answered for the first time, or events or their counts are not known yet.
 */
export function healthOf(inputs: HealthInputs): HealthStatus {
  if (!inputs.hasSnapshot || inputs.store === 'closed') return 'unavailable';
  if (inputs.store !== 'open' || inputs.failedActors > 0) return 'degraded';
  if (!inputs.isClockRight) return 'degraded';
  const { ages, uptimeMs, areCountsKnown } = inputs;
  const sources = limits(inputs);
  if (sources.some(([source, limitMs]) => (ages[source] ?? uptimeMs) > limitMs)) return 'degraded';
  const haveAllAnswered = sources.every(([source]) => ages[source] !== undefined);
  return haveAllAnswered && areCountsKnown ? 'ok' : 'starting';
}

function limits({ accounts }: HealthInputs): readonly (readonly [SourceName, number])[] {
  const { posts, oracle, ui, prices, events, crypto } = DEGRADED_AFTER_MS;
  return [
    ...accounts.flatMap(({ id, staleAfterMs }): [SourceName, number][] => [
      [`posts:${id}`, Math.max(posts, staleAfterMs.posts)],
      [`oracle:${id}`, oracle],
      [`ui:${id}`, ui],
    ]),
    ['prices', prices],
    ['events', events],
    ['crypto', crypto],
  ];
}

/** Whether anything is known about an account: a post, its velocity or an event. */
export function hasSnapshot(latest: Latest, account: AccountId): boolean {
  if (latest.posts(account).length > 0 || latest.get('velocity', account) !== undefined) return true;
  const [event] = latest.ofAccount('events', account);
  return event !== undefined;
}
