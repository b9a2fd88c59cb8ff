import type { StreamName, StreamRecords, Subject } from '../../../streams/internal.ts';
import { type Column, column, nullable } from './columns.ts';
import { DECISIONS, MODELS, PREDICTIONS, SCORES } from './forecast-schemas.ts';
import type { OfEvent, Schema } from './schema.ts';

type Records = StreamRecords;

const posts: Schema<Records['posts']> = {
  version: 2,
  eventAt: ({ createdAt }) => createdAt,
  columns: [
    column('account', 'UTF8', ({ account }) => account),
    column('id', 'UTF8', ({ id }) => id),
    column('text', 'UTF8', ({ text }) => text),
    column('created_ts', 'INT64', ({ createdAt }) => createdAt),
    nullable('is_reply', 'BOOLEAN', ({ isReply }) => isReply),
    nullable('is_quote', 'BOOLEAN', ({ isQuote }) => isQuote),
    column('is_repost', 'BOOLEAN', ({ isRepost }) => isRepost),
    column('is_counted', 'BOOLEAN', ({ isCounted }) => isCounted),
    column('url', 'UTF8', ({ url }) => url),
    column('seen_ts', 'INT64', ({ seenAt }) => seenAt),
    nullable('deleted_ts', 'INT64', ({ deletedAt }) => deletedAt),
    column('via', 'UTF8', ({ via }) => via),
    nullable('oracle_ts', 'INT64', ({ oracleAt }) => oracleAt),
  ],
};

const ofPosts = (subject: Subject) => (subject.type === 'posts' ? subject : null);
const ofCrypto = (subject: Subject) => (subject.type === 'crypto' ? subject : null);

const events: Schema<Records['events']> = {
  version: 2,
  eventAt: null,
  columns: [
    column('event_id', 'INT64', ({ eventId }) => eventId),
    column('slug', 'UTF8', ({ slug }) => slug),
    column('title', 'UTF8', ({ title }) => title),
    column('image', 'UTF8', ({ image }) => image),
    column('subject', 'UTF8', ({ subject }) => subject.type),
    nullable('account', 'UTF8', ({ subject }) => ofPosts(subject)?.account ?? null),
    nullable('symbol', 'UTF8', ({ subject }) => ofCrypto(subject)?.symbol ?? null),
    nullable('crypto_kind', 'UTF8', ({ subject }) => ofCrypto(subject)?.kind ?? null),
    nullable('reference_price', 'DOUBLE', ({ subject }) => ofCrypto(subject)?.referencePrice ?? null),
    nullable('start_ts', 'INT64', ({ startAt }) => startAt),
    column('end_ts', 'INT64', ({ endAt }) => endAt),
    column('phase', 'UTF8', ({ phase }) => phase),
    nullable('tracking_id', 'UTF8', ({ trackingId }) => trackingId),
    column('is_partition', 'BOOLEAN', ({ isPartition }) => isPartition),
    column(
      'buckets',
      {
        list: {
          struct: {
            title: 'UTF8',
            // A price level of a crypto event need not be whole.
            lo: 'DOUBLE',
            hi: 'DOUBLE',
            condition_id: 'UTF8',
            market_slug: 'UTF8',
            yes_token: 'UTF8',
            no_token: 'UTF8',
            won: 'BOOLEAN',
            fee_rate: 'DOUBLE',
            fee_exponent: 'INT64',
          },
        },
      },
      ({ buckets }) =>
        buckets.map(({ title, lo, hi, conditionId, marketSlug, yesToken, noToken, won, fee }) => ({
          title,
          lo,
          hi,
          condition_id: conditionId,
          market_slug: marketSlug,
          yes_token: yesToken,
          no_token: noToken,
          won,
          fee_rate: fee?.rate ?? null,
          fee_exponent: fee?.exponent ?? null,
        })),
    ),
  ],
};

const counters: Schema<Records['counters']> = {
  version: 2,
  eventAt: null,
  columns: [
    column('event_id', 'INT64', ({ eventId }) => eventId),
    column('account', 'UTF8', ({ account }) => account),
    nullable('oracle', 'INT64', ({ oracle }) => oracle),
    nullable('real', 'INT64', ({ real }) => real),
    nullable('ui', 'INT64', ({ ui }) => ui),
    nullable('settlement_delta', 'INT64', ({ settlementDelta }) => settlementDelta),
    nullable('display_delta', 'INT64', ({ displayDelta }) => displayDelta),
    nullable('internal_delta', 'INT64', ({ internalDelta }) => internalDelta),
    nullable('deleted', 'INT64', ({ deleted }) => deleted),
    column('via', 'UTF8', ({ via }) => via),
    column('stale', { list: 'UTF8' }, ({ stale }) => stale),
    nullable('history_percent', 'INT64', ({ historyPercent }) => historyPercent),
  ],
};

const velocity: Schema<Records['velocity']> = {
  version: 2,
  eventAt: null,
  columns: [
    column('account', 'UTF8', ({ account }) => account),
    nullable('counted_1h', 'INT64', ({ counted1h }) => counted1h),
    nullable('all_1h', 'INT64', ({ all1h }) => all1h),
  ],
};

/** The window of the event, which a reader would have to look up in another file. */
function windowColumns<Record>(): readonly Column<OfEvent<Record>>[] {
  return [
    nullable('start_ts', 'INT64', ({ event }) => event?.startAt ?? null),
    nullable('end_ts', 'INT64', ({ event }) => event?.endAt ?? null),
  ];
}

function bucketOf({ record: { token }, event }: OfEvent<Records['prices']>) {
  return event?.buckets.find(({ yesToken }) => yesToken === token);
}

const prices: Schema<Records['prices']> = {
  version: 4,
  eventAt: ({ at }) => at,
  columns: [
    column('event_id', 'INT64', ({ eventId }) => eventId),
    column('token', 'UTF8', ({ token }) => token),
    nullable('bid', 'DOUBLE', ({ bid }) => bid),
    nullable('ask', 'DOUBLE', ({ ask }) => ask),
    nullable('bid_size', 'DOUBLE', ({ bidSize }) => bidSize),
    nullable('ask_size', 'DOUBLE', ({ askSize }) => askSize),
    nullable('last', 'DOUBLE', ({ last }) => last ?? null),
    nullable('price', 'DOUBLE', ({ price }) => price),
    nullable('price_kind', 'UTF8', ({ priceKind }) => priceKind),
    column('price_ts', 'INT64', ({ at }) => at),
  ],
  ofEvent: {
    eventId: ({ eventId }) => eventId,
    columns: [
      nullable('account', 'UTF8', ({ event }) => (event && ofPosts(event.subject)?.account) ?? null),
      // Of counts the lowest bucket begins at 0.
      nullable('bucket_lo', 'DOUBLE', (of) => {
        const bucket = bucketOf(of);
        const isCount = of.event?.subject.type === 'posts';
        return bucket === undefined ? null : (bucket.lo ?? (isCount ? 0 : null));
      }),
      nullable('bucket_hi', 'DOUBLE', (of) => bucketOf(of)?.hi ?? null),
      ...windowColumns<Records['prices']>(),
    ],
  },
};

const minutes: Schema<Records['minutes']> = {
  version: 2,
  eventAt: ({ at }) => at,
  columns: [
    column('event_id', 'INT64', ({ eventId }) => eventId),
    column('account', 'UTF8', ({ account }) => account),
    column('ts', 'INT64', ({ at }) => at),
    nullable('real', 'INT64', ({ real }) => real),
    nullable('oracle', 'INT64', ({ oracle }) => oracle),
    nullable('forecast_id', 'UTF8', ({ forecastId }) => forecastId),
    column(
      'buckets',
      {
        list: {
          struct: {
            lo: 'INT64',
            hi: 'INT64',
            bid: 'DOUBLE',
            ask: 'DOUBLE',
            bid_size: 'DOUBLE',
            ask_size: 'DOUBLE',
            last: 'DOUBLE',
            volume: 'DOUBLE',
            price: 'DOUBLE',
            prob: 'DOUBLE',
          },
        },
      },
      ({ buckets }) =>
        buckets.map(({ bidSize, askSize, lo, hi, bid, ask, last, volume, price, prob }) => ({
          lo,
          hi,
          bid,
          ask,
          bid_size: bidSize,
          ask_size: askSize,
          last,
          volume,
          price,
          prob,
        })),
    ),
  ],
  ofEvent: { eventId: ({ eventId }) => eventId, columns: windowColumns() },
};

/** The lags of posts until they are seen, counted by the oracle or shown, in ms. */
function lagColumns(way: 'seen' | 'oracle' | 'ui'): readonly Column<Records['lag']>[] {
  const percentile = (name: 'p90' | 'p99') =>
    nullable<Records['lag']>(`${way}_${name}_ms`, 'INT64', (lag) => lag[way][name]);
  return [
    column(`${way}_n`, 'INT64', (lag) => lag[way].n),
    // The mean of two lags may be half a ms.
    nullable(`${way}_p50_ms`, 'DOUBLE', (lag) => lag[way].p50),
    percentile('p90'),
    percentile('p99'),
  ];
}

const lag: Schema<Records['lag']> = {
  version: 2,
  eventAt: null,
  columns: [
    column('account', 'UTF8', ({ account }) => account),
    ...lagColumns('seen'),
    ...lagColumns('oracle'),
    ...lagColumns('ui'),
  ],
};

const sleep: Schema<Records['sleep']> = {
  version: 1,
  eventAt: ({ madeAt }) => madeAt,
  columns: [
    column('account', 'UTF8', ({ account }) => account),
    column('made_ts', 'INT64', ({ madeAt }) => madeAt),
    column('probability', 'DOUBLE', ({ probability }) => probability),
    column('is_asleep', 'BOOLEAN', ({ isAsleep }) => isAsleep),
    column('n', 'INT64', ({ n }) => n),
    column('brier', 'DOUBLE', ({ brier }) => brier),
    column('baseline_brier', 'DOUBLE', ({ baselineBrier }) => baselineBrier),
  ],
};

const spot: Schema<Records['spot']> = {
  version: 1,
  eventAt: ({ at }) => at,
  columns: [
    column('symbol', 'UTF8', ({ symbol }) => symbol),
    column('price', 'DOUBLE', ({ price }) => price),
    column('spot_ts', 'INT64', ({ at }) => at),
  ],
};

const failures: Schema<Records['failures']> = {
  version: 1,
  eventAt: null,
  columns: [
    column('actor', 'UTF8', ({ actor }) => actor),
    column('message', 'UTF8', ({ message }) => message),
  ],
};

type Exported = Exclude<StreamName, 'signals' | 'requests' | 'freshness'>;

/** The schemas of the kept streams. A test fails for a new stream without one. */
export const SCHEMAS: { readonly [S in Exported]: Schema<StreamRecords[S]> } = {
  posts,
  events,
  counters,
  velocity,
  prices,
  minutes,
  lag,
  spot,
  predictions: PREDICTIONS,
  models: MODELS,
  scores: SCORES,
  sleep,
  decisions: DECISIONS,
  failures,
};
