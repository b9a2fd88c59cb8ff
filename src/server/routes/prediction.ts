import type { AccountId, Input, Output } from '../../../streams/internal.ts';
import { includes, type Tier } from '../../access/tiers.ts';
import { API_PREFIX } from '../../contract/api-prefix.ts';
import type { AccountPath } from '../../views/account-path.ts';
import { type ActiveEvent, activeEvents } from '../../views/active-events.ts';
import { agesOf, closeRecords, lateInputs, newest, openRecord, staleNow } from '../../views/as-of.ts';
import type { Latest } from '../../views/latest.ts';
import { predictionToWire } from '../../views/records/prediction-fields.ts';
import { oncePerChange } from '../../views/watch.ts';
import type { Answer, Call, Endpoint } from '../answer.ts';
import { createPrebuilt } from '../prebuilt.ts';
import type { StreamDeps } from './deps.ts';

/** The account whose PRO record tells its pace (spec 2.4). */
export const WITH_VELOCITY: AccountId = 'a';

/** GET /prediction/{account}: forecast, prices and edges of every active event (spec 4, endpoints 6 and 7). */
export function predictionEndpoints(deps: StreamDeps): readonly Endpoint[] {
  return deps.accounts.map((account) => {
    const free = bodyOf(deps, account, 'FREE');
    const paid = bodyOf(deps, account, 'PRO');
    return {
      path: `${API_PREFIX}/prediction/${account.segment}`,
      access: 'tiered',
      answer: (call, tier) => (includes(tier, 'PRO') ? paid(call) : free(call)),
    };
  });
}

function bodyOf(deps: StreamDeps, { id, segment }: AccountPath, tier: Tier): (call: Call) => Answer {
  const { latest, watcher, now, staleAfterMs, epoch } = deps;
  const watch = watcher.watch((output) => concerns(latest, id, tier, output));
  const lateAt = (nowMs: number) => lateInputs(agesOf(latest, nowMs, id), staleAfterMs);
  let late: readonly Input[] = [];
  const open = () =>
    activeEvents(latest, id).map((event) => ({
      endAt: event.record.endAt,
      rest: openPrediction(latest, event, id, tier, late),
    }));
  let records = oncePerChange(watch, open);
  const recordsAt = (nowMs: number) => {
    const lateNow = lateAt(nowMs);
    if (lateNow.join() !== late.join()) {
      late = lateNow;
      records = oncePerChange(watch, open);
    }
    return records();
  };
  // The time left runs like the envelope's timestamp: as of the last tick, and it does not move the tag.
  const timed = (nowMs: number) => {
    const at = tickAt(latest);
    return recordsAt(nowMs).map(({ endAt, rest }) => withTimeLeft(rest, endAt, at));
  };
  return createPrebuilt({
    watch,
    variant: `${epoch}-prediction-${segment}-${tier}`,
    now,
    size: () => records().length,
    build: (nowMs) => `"data":${closeRecords(timed(nowMs), agesOf(latest, nowMs, id))}`,
    mark: (nowMs) => lateAt(nowMs).join('.'),
  });
}

/** When the last tick was, or before the first the last observation. */
export function tickAt(latest: Latest): number {
  return latest.get('freshness', 'all')?.at ?? latest.at;
}

/** The open record, of its open text without the time left. */
export function withTimeLeft(rest: string, endAt: number, at: number): string {
  return `{"seconds_remaining":${Math.max(0, Math.floor((endAt - at) / 1_000))},${rest}`;
}

/** The open text of a record without its brace, for the time left to be put in front. */
export function openPrediction(
  latest: Latest,
  event: ActiveEvent,
  account: AccountId,
  tier: Tier,
  late: readonly Input[],
): string {
  const counters = latest.get('counters', event.key);
  const prices = new Map(
    event.record.buckets.map(({ yesToken }) => [yesToken, latest.get('prices', yesToken)]),
  );
  const isPaid = includes(tier, 'PRO');
  const prediction = isPaid ? latest.get('predictions', event.key) : undefined;
  const velocity = isPaid && account === WITH_VELOCITY ? latest.get('velocity', account) : undefined;
  const fields = predictionToWire({
    event: event.record,
    counters: counters && { ...counters.record, stale: staleNow(counters.record.stale, late) },
    prediction: prediction?.record,
    velocity: velocity?.record,
    priceOf: (token) => prices.get(token)?.record,
    tier,
  });
  const origin = newest(event, counters, prediction, velocity, ...prices.values());
  return openRecord(fields, origin).slice(1);
}

function concerns(latest: Latest, account: AccountId, tier: Tier, output: Output): boolean {
  switch (output.stream) {
    // Any event, as one may leave the account it had.
    case 'events':
      return true;
    case 'counters':
      return output.record.account === account;
    case 'prices': {
      const subject = latest.get('events', String(output.record.eventId))?.record.subject;
      return subject?.type === 'posts' && subject.account === account;
    }
    case 'predictions':
      // Those kept to be scored stand under other keys and are not shown.
      return (
        includes(tier, 'PRO') &&
        output.record.account === account &&
        output.key === String(output.record.eventId)
      );
    case 'velocity':
      return includes(tier, 'PRO') && account === WITH_VELOCITY && output.record.account === account;
    default:
      return false;
  }
}
