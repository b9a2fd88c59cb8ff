import type { OutputOf } from '../../src/views/latest.ts';
import type {
  Bucket,
  BucketSignal,
  Cause,
  Counters,
  Decision,
  EventRecord,
  EventSignals,
  Failure,
  Lag,
  Minute,
  MinuteBucket,
  Post,
  PredictedBucket,
  Prediction,
  Price,
  PublishedModel,
  Score,
  ScoreRecord,
  SleepScore,
  Spot,
  StreamName,
  StreamRecords,
  Velocity,
  VoidRecord,
} from '../../streams/internal.ts';

/** Outputs made by hand: a whole record of which a test names only what it is about. */

/** Noon of a day in UTC ms, the present of most tests. */
export const NOON = 1_700_000_000_000;
const DAY_MS = 86_400_000;

interface Place {
  readonly seq?: number;
  readonly at?: number;
  readonly cause?: Cause;
}

function output<S extends StreamName>(stream: S, key: string, record: StreamRecords[S], place: Place) {
  const { seq = 1, at = NOON, cause = 'settings' } = place;
  return { stream, key, seq, at, cause, record };
}

export function bucket(fields: Partial<Bucket> = {}): Bucket {
  return {
    title: '0-19',
    lo: 0,
    hi: 19,
    conditionId: 'condition',
    marketSlug: 'market',
    yesToken: 'yes-1',
    noToken: 'no-1',
    won: null,
    ...fields,
  };
}

export function eventOutput(fields: Partial<EventRecord> = {}, place: Place = {}): OutputOf<'events'> {
  const record: EventRecord = {
    eventId: 1,
    slug: 'posts-of-a',
    title: 'Posts of account A',
    image: 'https://market.invalid/a.png',
    subject: { type: 'posts', account: 'a' },
    startAt: NOON - DAY_MS,
    endAt: NOON + DAY_MS,
    phase: 'active',
    trackingId: 'tracking-1',
    buckets: [bucket()],
    isPartition: true,
    ...fields,
  };
  return output('events', String(record.eventId), record, { cause: 'event_opened', ...place });
}

export function countersOutput(fields: Partial<Counters> = {}, place: Place = {}): OutputOf<'counters'> {
  const record: Counters = {
    eventId: 1,
    account: 'a',
    oracle: 10,
    real: 13,
    ui: 11,
    settlementDelta: 3,
    displayDelta: 2,
    internalDelta: 1,
    deleted: 2,
    via: 'timeline',
    stale: [],
    historyPercent: 100,
    ...fields,
  };
  return output('counters', String(record.eventId), record, { cause: 'new_post', ...place });
}

export function postOutput(fields: Partial<Post> = {}, place: Place = {}): OutputOf<'posts'> {
  const record: Post = {
    account: 'a',
    id: '100',
    text: 'hello',
    createdAt: NOON - 60_000,
    isReply: false,
    isQuote: false,
    isRepost: false,
    isCounted: true,
    url: 'https://posts.invalid/100',
    seenAt: NOON - 48_500,
    deletedAt: null,
    via: 'timeline',
    oracleAt: null,
    ...fields,
  };
  return output('posts', `${record.account}:${record.id}`, record, { cause: 'new_post', ...place });
}

/** Posts with ids 1 to `count`, the highest the newest, one a minute. */
export function timeline(count: number, fields: Partial<Post> = {}): readonly OutputOf<'posts'>[] {
  return Array.from({ length: count }, (_, index) =>
    postOutput(
      {
        id: String(index + 1),
        createdAt: NOON - (count - index) * 60_000,
        isCounted: index % 2 === 0,
        ...fields,
      },
      { seq: index + 1 },
    ),
  );
}

export function lagOutput(fields: Partial<Lag> = {}, place: Place = {}): OutputOf<'lag'> {
  const none = { n: 0, p50: null, p90: null, p99: null };
  const record: Lag = {
    account: 'a',
    seen: { n: 40, p50: 11_500, p90: 13_000, p99: 28_200 },
    oracle: none,
    ui: none,
    ...fields,
  };
  return output('lag', record.account, record, { cause: 'clock', ...place });
}

export function priceOutput(fields: Partial<Price> = {}, place: Place = {}): OutputOf<'prices'> {
  const record: Price = {
    eventId: 7,
    token: 'yes-up',
    bid: 0.41,
    ask: 0.43,
    bidSize: 500,
    askSize: 400,
    last: 0.4,
    price: 0.42,
    priceKind: 'mid',
    at: NOON - 500,
    ...fields,
  };
  return output('prices', record.token, record, { cause: 'price', ...place });
}

export function minuteBucket(fields: Partial<MinuteBucket> = {}): MinuteBucket {
  return {
    ...{ lo: 0, hi: 19, bid: 0.41, ask: 0.43, bidSize: 500, askSize: 400, last: 0.4, volume: 12_345 },
    ...{ price: 0.42, prob: 0.5 },
    ...fields,
  };
}

export function minuteOutput(fields: Partial<Minute> = {}, place: Place = {}): OutputOf<'minutes'> {
  const record: Minute = {
    eventId: 1,
    account: 'a',
    at: NOON,
    real: 13,
    oracle: 10,
    forecastId: '1-7',
    buckets: [minuteBucket()],
    ...fields,
  };
  return output('minutes', String(record.eventId), record, { cause: 'clock', at: record.at, ...place });
}

export function spotOutput(fields: Partial<Spot> = {}, place: Place = {}): OutputOf<'spot'> {
  const record: Spot = { symbol: 'BTC', price: 65_000.123456, at: NOON - 250, ...fields };
  return output('spot', record.symbol, record, { cause: 'spot', ...place });
}

export function failureOutput(fields: Partial<Failure> = {}, place: Place = {}): OutputOf<'failures'> {
  const record: Failure = { actor: 'counters:a', message: 'boom', ...fields };
  return output('failures', record.actor, record, { cause: 'failure', ...place });
}

export function velocityOutput(fields: Partial<Velocity> = {}, place: Place = {}): OutputOf<'velocity'> {
  const record: Velocity = { account: 'a', counted1h: 3, all1h: 8, ...fields };
  return output('velocity', record.account, record, { cause: 'new_post', ...place });
}

export function sleepOutput(fields: Partial<SleepScore> = {}, place: Place = {}): OutputOf<'sleep'> {
  const record: SleepScore = {
    account: 'a',
    madeAt: NOON - 5 * 3_600_000,
    probability: 0.2,
    isAsleep: false,
    n: 40,
    brier: 0.11004,
    baselineBrier: 0.21,
    ...fields,
  };
  return output('sleep', record.account, record, { cause: 'clock', ...place });
}

export function predictedBucket(fields: Partial<PredictedBucket> = {}): PredictedBucket {
  return {
    lo: 0,
    hi: 19,
    prob: 0.25,
    paceProb: 0.2,
    ownProb: 0.24,
    price: 0.2,
    priceKind: 'mid',
    ...fields,
  };
}

/** Final counts spread evenly over the hundred after the present one. */
export function predictionOutput(
  fields: Partial<Prediction> = {},
  place: Place = {},
): OutputOf<'predictions'> {
  const count = fields.count ?? 13;
  const quantiles = Array.from({ length: 101 }, (_, percent) => count + percent);
  const record: Prediction = {
    forecastId: `${fields.eventId ?? 1}-7`,
    eventId: 1,
    account: 'a',
    origin: 'live',
    horizonHours: null,
    modelVersion: 'pool-1+470000',
    seed: 5,
    askedSeq: 7,
    madeAt: NOON - 2_000,
    startAt: NOON - DAY_MS,
    endAt: NOON + DAY_MS,
    count,
    p5: count + 5,
    p50: count + 50,
    p95: count + 95,
    quantiles,
    paceP50: count + 40,
    paceQuantiles: quantiles,
    ownP50: count + 50,
    ownQuantiles: quantiles,
    settlement: {
      oracle: count - 1,
      soFar: { least: count - 1, probs: [0.3, 0.7] },
      offset: { least: -2, probs: [0.1, 0.2, 0.7] },
      p5: -2,
      p50: 0,
      p95: 0,
    },
    buckets: [predictedBucket()],
    sleepProbability: 0.123456,
    flipRisk: 0.01,
    moved: [],
    hash: 'h',
    ...fields,
  };
  const key = record.horizonHours === null ? record.eventId : `${record.eventId}@${record.horizonHours}`;
  return output('predictions', String(key), record, { cause: 'clock', ...place });
}

export function modelOutput(fields: Partial<PublishedModel> = {}, place: Place = {}): OutputOf<'models'> {
  const record: PublishedModel = { model: 'pool-1', publishedAt: NOON - 9 * DAY_MS, ...fields };
  return output('models', record.model, record, { cause: 'model', ...place });
}

export function score(fields: Partial<Score> = {}): Score {
  return { crps: 10, logScore: 2, brier: 0.8, isCovered: true, pit: 0.5, ...fields };
}

export function scoreOutput(fields: Partial<ScoreRecord> = {}, place: Place = {}): OutputOf<'scores'> {
  const record: ScoreRecord = {
    forecastId: `${fields.eventId ?? 1}-7`,
    eventId: 1,
    account: 'a',
    origin: 'live',
    horizonHours: 24,
    modelVersion: 'pool-1+470000',
    madeAt: NOON - 2 * DAY_MS,
    endAt: NOON - DAY_MS,
    status: 'settled',
    final: 100,
    p50: 90,
    errorPercent: 10,
    model: score(),
    pace: score({ crps: 15, logScore: 3, brier: 0.9 }),
    own: null,
    settlement: null,
    market: null,
    wonLo: 100,
    top: { lo: 100, prob: 0.4 },
    ...fields,
  };
  return output('scores', `${record.eventId}@${record.horizonHours}`, record, {
    cause: 'event_closed',
    ...place,
  });
}

/** The result of a row whose window has changed. */
export function voidOutput(fields: Partial<VoidRecord> = {}, place: Place = {}): OutputOf<'scores'> {
  const record: VoidRecord = {
    forecastId: `${fields.eventId ?? 1}-7`,
    eventId: 1,
    account: 'a',
    origin: 'live',
    horizonHours: 24,
    modelVersion: 'pool-1+470000',
    madeAt: NOON - 2 * DAY_MS,
    endAt: NOON - DAY_MS,
    status: 'void',
    ...fields,
  };
  return output('scores', `${record.eventId}@${record.horizonHours}`, record, {
    cause: 'event_changed',
    ...place,
  });
}

export function bucketSignal(fields: Partial<BucketSignal> = {}): BucketSignal {
  return {
    title: '0-19',
    token: 'yes-1',
    noToken: 'no-1',
    lo: 0,
    hi: 19,
    standing: 'open',
    prob: 0.44,
    price: 0.31,
    bid: 0.3,
    ask: 0.32,
    bidSize: 500_000,
    askSize: 400_000,
    edge: 0.13,
    edgeNet: 0.1091,
    action: 'BUY',
    codes: ['UNDERVALUED'],
    kelly: 0.1631,
    noKelly: null,
    fee: { rate: 0.05, exponent: 1 },
    moneyness: 0.5,
    ...fields,
  };
}

/** At a horizon where the model has been shown to be better than the market. */
export function eventSignalsRecord(fields: Partial<EventSignals> = {}): EventSignals {
  return {
    eventId: 1,
    account: 'a',
    forecastId: '1-7',
    p50: 12,
    horizonHours: 24,
    track: {
      n: 40,
      nLive: 32,
      nBackfilled: 8,
      nMarket: 31,
      coverage: 0.9,
      hitRate: 0.45,
      meanTopProb: 0.4,
      againstPace: -3,
      againstMarket: -0.25,
      confidence: 'HIGH',
      provenAgainst: ['pace', 'market'],
      isProven: true,
    },
    eventShare: 1,
    accountShare: 1,
    timeConfidence: 'HIGH',
    asymmetry: -1,
    stale: [],
    buckets: [bucketSignal()],
    order: { strategy: 'SINGLE_BUCKET', tokens: ['yes-1'] },
    ...fields,
  };
}

export function signalsOutput(fields: Partial<EventSignals> = {}, place: Place = {}): OutputOf<'signals'> {
  const record = eventSignalsRecord(fields);
  return output('signals', String(record.eventId), record, { cause: 'price', ...place });
}

export function decisionOutput(fields: Partial<Decision> = {}, place: Place = {}): OutputOf<'decisions'> {
  const record: Decision = {
    forecastId: `${fields.eventId ?? 1}-7`,
    eventId: 1,
    account: 'a',
    origin: 'live',
    horizonHours: 24,
    madeAt: NOON - 2 * DAY_MS,
    endAt: NOON - DAY_MS,
    confidence: 'HIGH',
    isProven: true,
    strategy: 'SINGLE_BUCKET',
    orderLos: [100],
    buys: [{ lo: 100, hi: 119, prob: 0.44, price: 0.31, stake: 0.0471 }],
    ...fields,
  };
  return output('decisions', `${record.eventId}@${record.horizonHours}`, record, {
    cause: 'clock',
    ...place,
  });
}

/** A tick when all events were known and nothing was stale, unless `fields` say otherwise. */
export function freshnessOutput(
  ages: Readonly<Record<string, number>>,
  place: Place = {},
  fields: Partial<Omit<StreamRecords['freshness'], 'ages'>> = {},
): OutputOf<'freshness'> {
  const at = place.at ?? NOON;
  const record = { ages, stale: [], listedAt: { posts: at, crypto: at }, ...fields };
  return output('freshness', 'all', record, { cause: 'clock', ...place });
}

/** Every source of accounts a and b has just answered. */
export const FRESH_AGES: Readonly<Record<string, number>> = {
  'posts:a': 400,
  'oracle:a': 2_000,
  'ui:a': 3_000,
  'posts:b': 500,
  'oracle:b': 2_500,
  'ui:b': 3_500,
  prices: 900,
  events: 20_000,
  crypto: 300,
};
