import { hash } from 'node:crypto';
import { MINUTE_MS } from '../../../streams/internal.ts';
import type { Tier } from '../../access/tiers.ts';
import { includes } from '../../access/tiers.ts';
import { minutesQuery } from '../../contract/params.ts';
import { InvalidRequest, readQuery } from '../../contract/validation/validate.ts';
import { RequestError } from '../../errors.ts';
import type { AccountPath } from '../../views/account-path.ts';
import type { Latest, OutputOf } from '../../views/latest.ts';
import type { Past } from '../../views/past.ts';
import { minutesBody, type ShownMinutes } from '../../views/records/minutes.ts';
import type { Answer, Call, EventEndpoints } from '../answer.ts';
import { namesTag } from '../etag.ts';
import { createPastBodies, type PastBodies } from '../past/past-bodies.ts';
import { notModified, streamAnswer } from '../prebuilt.ts';
import { accountRoute } from './account-route.ts';

interface HistoryDeps {
  readonly latest: Latest;
  readonly past: Past;
  readonly accounts: readonly AccountPath[];
  /** UTC ms. */
  readonly now: () => number;
  readonly epoch: string;
}

/** An answer has at most so many buckets of instants, some 400 kB: more would not fit into one message between machines. */
const MOST_BUCKETS = 3_000;
const LISTED_EVENTS = 100;
const HASH_CHARS = 22;

/** GET /history/{account}/{event}: market and model of an event over time. */
export function historyEndpoints(deps: HistoryDeps): readonly EventEndpoints[] {
  const bodies = createPastBodies();
  return deps.accounts.map((account) => ({
    ...accountRoute('/history/{account}/{event}', account),
    method: 'GET',
    access: 'tiered',
    of: (event) => ({
      ...accountRoute(`/history/{account}/${event}`, account),
      method: 'GET',
      access: 'tiered',
      answer: (call, tier) => answer(deps, bodies, account, event, call, tier),
    }),
  }));
}

async function answer(
  { latest, past, now, epoch }: HistoryDeps,
  bodies: PastBodies,
  account: AccountPath,
  event: string,
  { query, ifNoneMatch }: Call,
  tier: Tier,
): Promise<Answer> {
  const asked = readQuery(minutesQuery, query);
  const known = eventOf(latest, account, event);
  const at = now();
  const shown = shownOf(known, asked, at);
  const isPro = includes(tier, 'PRO');
  const { fromAt, toAt, stepMs, limit } = shown;
  const seq = past.seqAt(Math.min(toAt - 1, at));
  const name = JSON.stringify([known.key, fromAt, toAt, stepMs, shown.bucket ?? null, isPro, seq]);
  const fields = await bodies.of(name, async () => {
    const { eventId, startAt, endAt } = known.record;
    const read = await past.minutes({
      eventId,
      // There are none outside of the window, and so none are looked for.
      fromAt: Math.max(fromAt, startAt ?? fromAt),
      toAt: Math.min(toAt, endAt + MINUTE_MS),
      stepMs,
      limit,
    });
    return minutesBody(known.record, shown, read, isPro);
  });
  const etag = `W/"${hash('sha256', fields, 'base64url').slice(0, HASH_CHARS)}-${epoch}-history"`;
  if (namesTag(ifNoneMatch, etag)) return notModified(etag);
  const body = `{"timestamp":${at},${fields}}`;
  return streamAnswer(etag, body, Buffer.byteLength(body));
}

interface Asked {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly step: number;
  readonly bucket?: string | undefined;
}

function shownOf(
  { record }: OutputOf<'events'>,
  { from, to, step, bucket: title }: Asked,
  at: number,
): ShownMinutes {
  const { startAt, endAt, buckets } = record;
  const bucket = buckets.find((each) => each.title === title);
  if (title !== undefined && bucket === undefined) {
    const titles = buckets.map((each) => `'${each.title}'`);
    throw new InvalidRequest([
      { loc: ['query', 'bucket'], msg: `Input should be one of ${titles.join(', ')}`, type: 'enum' },
    ]);
  }
  // Up to the present minute, so that the answer stays the same for as long as there is no other.
  const toAt = to ?? Math.min(Math.floor(at / MINUTE_MS + 1) * MINUTE_MS, endAt);
  const fromAt = from ?? Math.min(startAt ?? toAt, toAt - MINUTE_MS);
  if (toAt <= fromAt) {
    const msg = `Value error, to must be after from, which is ${new Date(fromAt).toISOString()}`;
    throw new InvalidRequest([{ loc: ['query', 'to'], msg, type: 'value_error' }]);
  }
  const count = bucket === undefined ? buckets.length : 1;
  return {
    fromAt,
    toAt,
    stepMs: step * 1_000,
    bucket,
    limit: Math.max(1, Math.floor(MOST_BUCKETS / Math.max(1, count))),
  };
}

function eventOf(latest: Latest, { id }: AccountPath, event: string): OutputOf<'events'> {
  const found = /^\d{1,15}$/.test(event) ? latest.get('events', String(Number(event))) : undefined;
  const subject = found?.record.subject;
  if (found !== undefined && subject?.type === 'posts' && subject.account === id) return found;
  const events = Array.from(latest.ofAccount('events', id), ({ record }) => record)
    .sort((a, b) => b.endAt - a.endAt || a.eventId - b.eventId)
    .slice(0, LISTED_EVENTS)
    .map(({ eventId, title, startAt, endAt }) => ({
      event_id: eventId,
      event_title: title,
      start_ts: startAt,
      end_ts: endAt,
    }));
  throw new RequestError(404, 'event_unknown', 'The account has no such event', {}, { events });
}
