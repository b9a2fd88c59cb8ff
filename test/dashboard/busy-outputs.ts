import { type AccountId, type Bucket, DAY_MS, type Output, type Post } from '../../streams/internal.ts';
import {
  bucket,
  bucketSignal,
  countersOutput,
  eventOutput,
  lagOutput,
  NOON,
  postOutput,
  predictedBucket,
  predictionOutput,
  priceOutput,
  score,
  scoreOutput,
  signalsOutput,
  velocityOutput,
} from '../support/outputs.ts';

/** Two accounts with four active events each, a month of posts and a record of settled events, as of noon. */

const BUCKETS = 16;
const SETTLED = 40;
const BACKFILLED = 8;

interface BusyEvent {
  readonly id: number;
  readonly account: AccountId;
  readonly title: string;
  readonly startAt: number;
  readonly endAt: number;
  /** Posts a day that count. */
  readonly pace: number;
}

/** Start and end in days from noon. */
const WINDOWS = [
  [-1.5, 0.5, 'November 13 - November 15, 2023'],
  [-4, 3, 'November 10 - November 17, 2023'],
  [-2, 5, 'November 12 - November 19, 2023'],
  [-14, 16, 'in November 2023'],
] as const;

export const BUSY_EVENTS: readonly BusyEvent[] = (['a', 'b'] as const).flatMap((account) =>
  WINDOWS.map(([from, to, window], place) => ({
    id: (account === 'a' ? 1 : 11) + place,
    account,
    title: `Account ${account.toUpperCase()} # posts ${window}?`,
    startAt: NOON + from * DAY_MS,
    endAt: NOON + to * DAY_MS,
    pace: account === 'a' ? 48 : 24,
  })),
);

function countOf({ startAt, pace }: BusyEvent): number {
  return Math.floor(((NOON - startAt) / DAY_MS) * pace);
}

function finalOf({ startAt, endAt, pace }: BusyEvent): number {
  return ((endAt - startAt) / DAY_MS) * pace;
}

/** The outcomes as far to both sides of the expected one as weeks usually differ. */
function bucketsOf(event: BusyEvent): readonly Bucket[] {
  const width = Math.max(2, Math.round(finalOf(event) / 24));
  const first = Math.max(0, Math.round(finalOf(event)) - (BUCKETS / 2) * width);
  return Array.from({ length: BUCKETS }, (_, place) => {
    const lo = place === 0 ? 0 : first + place * width;
    const hi = place === BUCKETS - 1 ? null : first + (place + 1) * width - 1;
    const title = place === 0 ? `<${first + width}` : hi === null ? `${lo}+` : `${lo}-${hi}`;
    return bucket({ title, lo, hi, yesToken: tokenOf(event, place), noToken: `no-${event.id}-${place}` });
  });
}

function tokenOf({ id }: BusyEvent, place: number): string {
  return `yes-${id}-${place}`;
}

/** A bell over the buckets, moved a little to one side. */
function shares(shift: number): readonly number[] {
  const weights = Array.from({ length: BUCKETS }, (_, place) =>
    Math.exp(-(((place - BUCKETS / 2 + shift) / 2.2) ** 2) / 2),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** One more post of an account, made and seen so long ago. */
export function busyPost(account: AccountId, number: number, fields: Partial<Post>): Output {
  const text = `Number ${number}: the night train is faster than it looks, and so is the next release`;
  return postOutput({ account, id: String(2_000_000_000_000_000_000n + BigInt(number)), text, ...fields });
}

function monthOfPosts(account: AccountId, pace: number): readonly Output[] {
  const gapMs = DAY_MS / pace;
  return Array.from({ length: 31 * pace }, (_, place) => {
    const createdAt = NOON - (31 * pace - place) * gapMs;
    return busyPost(account, (account === 'a' ? 0 : 500_000) + place, { createdAt, seenAt: createdAt + 700 });
  });
}

export function busyCounters(event: BusyEvent, behind: number): Output {
  const { id, account } = event;
  const real = countOf(event);
  return countersOutput(
    {
      eventId: id,
      account,
      real,
      oracle: real - 1,
      ui: real - behind,
      settlementDelta: 1,
      displayDelta: behind,
    },
    { cause: 'ui' },
  );
}

/** The forecast of an event, its signals and a price, all a little different for another `shift`. */
export function busyForecast(event: BusyEvent, shift: number): readonly Output[] {
  const { id: eventId, account, endAt } = event;
  const count = countOf(event);
  const buckets = bucketsOf(event);
  const probs = shares(shift);
  const prices = shares(-0.6);
  const left = finalOf(event) - count;
  const quantiles = Array.from({ length: 101 }, (_, percent) =>
    Math.round(count + Math.max(0, left * (1 + (percent - 50) / 70) + 4 * shift)),
  );
  const at = (percent: number) => quantiles[percent] ?? count;
  const place = Math.floor(BUCKETS / 2 + shift);
  return [
    predictionOutput({
      eventId,
      account,
      endAt,
      count,
      quantiles,
      p5: at(5),
      p50: at(50),
      p95: at(95),
      buckets: buckets.map(({ lo, hi }, index) =>
        predictedBucket({ lo: lo ?? 0, hi, prob: probs[index] ?? 0, price: prices[index] ?? 0 }),
      ),
      moved: [{ cause: 'new_post', p50: 1 }],
    }),
    signalsOutput({
      eventId,
      account,
      p50: at(50),
      buckets: buckets.map(({ title, yesToken, lo, hi }, index) => {
        const [prob, price] = [probs[index] ?? 0, prices[index] ?? 0];
        const isBuy = prob - price > 0.04;
        return bucketSignal({
          title,
          token: yesToken,
          lo: lo ?? 0,
          hi,
          prob,
          price,
          edge: prob - price,
          edgeNet: prob - price - 0.01,
          action: isBuy ? 'BUY' : 'HOLD',
          kelly: isBuy ? 0.12 : 0,
        });
      }),
      order: { strategy: 'SINGLE_BUCKET', tokens: [tokenOf(event, place)] },
    }),
    ...buckets.map((_bucket, index) =>
      priceOutput({ eventId, token: tokenOf(event, index), price: prices[index] ?? 0 }),
    ),
  ];
}

/** Settled events: the first of them back-filled, the others with prices, the market a little worse than the model. */
function settledScores(account: AccountId): readonly Output[] {
  return [24, 48, 72].flatMap((horizonHours) =>
    Array.from({ length: SETTLED }, (_, place) => {
      const eventId = (account === 'a' ? 1_000 : 2_000) + place;
      const endAt = NOON - (SETTLED - place) * 2 * DAY_MS;
      const miss = ((place * 7) % 13) - 6;
      const isLive = place >= BACKFILLED;
      return scoreOutput({
        forecastId: `${eventId}-${horizonHours}`,
        eventId,
        account,
        origin: isLive ? 'live' : 'history',
        horizonHours,
        madeAt: endAt - horizonHours * 3_600_000,
        endAt,
        final: 100,
        p50: 100 + miss,
        errorPercent: Math.abs(miss) + horizonHours / 24,
        model: score({
          crps: 4 + horizonHours / 24,
          logScore: 1.7,
          brier: 0.74,
          isCovered: place % 10 !== 0,
        }),
        pace: score({ crps: 7 + horizonHours / 24, logScore: 2.4, brier: 0.9 }),
        market: isLive ? score({ crps: 4.6 + horizonHours / 24, logScore: 1.9, brier: 0.78 }) : null,
      });
    }),
  );
}

/** Everything there is at noon. */
export function busyOutputs(): readonly Output[] {
  const accounts = ['a', 'b'] as const;
  const percentiles = (n: number, p50: number) => ({ n, p50, p90: 2 * p50, p99: 5 * p50 });
  const outputs = [
    ...accounts.flatMap((account) => [
      ...monthOfPosts(account, account === 'a' ? 48 : 24),
      ...settledScores(account),
      velocityOutput({ account }),
      lagOutput({
        account,
        seen: percentiles(64, 620),
        oracle: percentiles(60, 61_000),
        ui: percentiles(58, 84_000),
      }),
    ]),
    ...BUSY_EVENTS.flatMap((event) => [
      eventOutput({
        eventId: event.id,
        slug: `event-${event.id}`,
        title: event.title,
        subject: { type: 'posts', account: event.account },
        startAt: event.startAt,
        endAt: event.endAt,
        buckets: bucketsOf(event),
      }),
      busyCounters(event, 3),
      ...busyForecast(event, 0),
    ]),
  ];
  return outputs.map((output, place) => ({ ...output, seq: place + 1 }));
}
