import type { Score, ScoreRecord, StreamRecords } from '../../../streams/internal.ts';
import { type Column, column, nullable } from './columns.ts';
import type { Schema } from './schema.ts';

/** What predictions, their scores and decisions have in common. */
interface Forecasted {
  readonly forecastId: string;
  readonly eventId: number;
  readonly account: string;
  readonly origin: string;
}

function forecasted<Record extends Forecasted>(): readonly Column<Record>[] {
  return [
    column('forecast_id', 'UTF8', ({ forecastId }) => forecastId),
    column('event_id', 'INT64', ({ eventId }) => eventId),
    column('account', 'UTF8', ({ account }) => account),
    column('origin', 'UTF8', ({ origin }) => origin),
  ];
}

type Prediction = StreamRecords['predictions'];

export const PREDICTIONS: Schema<Prediction> = {
  version: 2,
  eventAt: ({ madeAt }) => madeAt,
  columns: [
    ...forecasted<Prediction>(),
    nullable('horizon_hours', 'INT64', ({ horizonHours }) => horizonHours),
    column('model_version', 'UTF8', ({ modelVersion }) => modelVersion),
    column('seed', 'INT64', ({ seed }) => seed),
    column('asked_seq', 'INT64', ({ askedSeq }) => askedSeq),
    column('made_ts', 'INT64', ({ madeAt }) => madeAt),
    nullable('start_ts', 'INT64', ({ startAt }) => startAt),
    column('end_ts', 'INT64', ({ endAt }) => endAt),
    column('count', 'INT64', ({ count }) => count),
    column('p5', 'INT64', ({ p5 }) => p5),
    column('p50', 'INT64', ({ p50 }) => p50),
    column('p95', 'INT64', ({ p95 }) => p95),
    column('quantiles', { list: 'INT64' }, ({ quantiles }) => quantiles),
    column('pace_p50', 'INT64', ({ paceP50 }) => paceP50),
    column('pace_quantiles', { list: 'INT64' }, ({ paceQuantiles }) => paceQuantiles),
    nullable('own_p50', 'INT64', ({ ownP50 }) => ownP50 ?? null),
    column('own_quantiles', { list: 'INT64' }, ({ ownQuantiles }) => ownQuantiles ?? []),
    nullable('oracle', 'INT64', ({ settlement }) => settlement?.oracle ?? null),
    nullable('offset_p5', 'INT64', ({ settlement }) => settlement?.p5 ?? null),
    nullable('offset_p50', 'INT64', ({ settlement }) => settlement?.p50 ?? null),
    nullable('offset_p95', 'INT64', ({ settlement }) => settlement?.p95 ?? null),
    nullable('offset_least', 'INT64', ({ settlement }) => settlement?.offset.least ?? null),
    column('offset_probs', { list: 'DOUBLE' }, ({ settlement }) => settlement?.offset.probs ?? []),
    nullable('so_far_least', 'INT64', ({ settlement }) => settlement?.soFar.least ?? null),
    column('so_far_probs', { list: 'DOUBLE' }, ({ settlement }) => settlement?.soFar.probs ?? []),
    column(
      'buckets',
      {
        list: {
          struct: {
            lo: 'INT64',
            hi: 'INT64',
            prob: 'DOUBLE',
            pace_prob: 'DOUBLE',
            own_prob: 'DOUBLE',
            price: 'DOUBLE',
            price_kind: 'UTF8',
          },
        },
      },
      ({ buckets }) =>
        buckets.map(({ lo, hi, prob, paceProb, ownProb, price, priceKind }) => ({
          lo,
          hi,
          prob,
          pace_prob: paceProb,
          own_prob: ownProb ?? null,
          price,
          price_kind: priceKind,
        })),
    ),
    column('sleep_probability', 'DOUBLE', ({ sleepProbability }) => sleepProbability),
    nullable('flip_risk', 'DOUBLE', ({ flipRisk }) => flipRisk),
    column('moved', { list: { struct: { cause: 'UTF8', p50: 'DOUBLE' } } }, ({ moved }) =>
      moved.map(({ cause, p50 }) => ({ cause, p50 })),
    ),
    column('hash', 'UTF8', ({ hash }) => hash),
  ],
};

type PublishedModel = StreamRecords['models'];

export const MODELS: Schema<PublishedModel> = {
  version: 1,
  eventAt: ({ publishedAt }) => publishedAt,
  columns: [
    column('model', 'UTF8', ({ model }) => model),
    column('published_ts', 'INT64', ({ publishedAt }) => publishedAt),
  ],
};

type RowResult = StreamRecords['scores'];

/** A cell that is null for a void row, which has no scores. */
function scored(
  name: string,
  type: 'INT64' | 'DOUBLE' | 'BOOLEAN',
  read: (score: ScoreRecord) => number | boolean | null,
): Column<RowResult> {
  return nullable(name, type, (record) => (record.status === 'settled' ? read(record) : null));
}

/**
 * How one forecaster did; the market's cells are null where not every bucket had a price, those of our own count where
 * the row has no forecast of it.
 */
function scoreColumns(of: 'model' | 'pace' | 'own' | 'market'): readonly Column<RowResult>[] {
  const part = (name: string, type: 'DOUBLE' | 'BOOLEAN', read: (score: Score) => number | boolean | null) =>
    scored(`${of}_${name}`, type, ({ [of]: score }) => score && read(score));
  return [
    part('crps', 'DOUBLE', ({ crps }) => crps),
    part('log_score', 'DOUBLE', ({ logScore }) => logScore),
    part('brier', 'DOUBLE', ({ brier }) => brier),
    part('is_covered', 'BOOLEAN', ({ isCovered }) => isCovered),
    part('pit', 'DOUBLE', ({ pit }) => pit),
  ];
}

export const SCORES: Schema<RowResult> = {
  version: 2,
  eventAt: ({ madeAt }) => madeAt,
  columns: [
    ...forecasted<RowResult>(),
    column('horizon_hours', 'INT64', ({ horizonHours }) => horizonHours),
    column('model_version', 'UTF8', ({ modelVersion }) => modelVersion),
    column('made_ts', 'INT64', ({ madeAt }) => madeAt),
    column('end_ts', 'INT64', ({ endAt }) => endAt),
    column('status', 'UTF8', ({ status }) => status),
    scored('final', 'INT64', ({ final }) => final),
    scored('p50', 'INT64', ({ p50 }) => p50),
    scored('error_percent', 'DOUBLE', ({ errorPercent }) => errorPercent),
    ...scoreColumns('model'),
    ...scoreColumns('pace'),
    ...scoreColumns('own'),
    ...scoreColumns('market'),
    scored('offset', 'INT64', ({ settlement }) => settlement?.offset ?? null),
    scored('offset_p50', 'INT64', ({ settlement }) => settlement?.p50 ?? null),
    scored('offset_crps', 'DOUBLE', ({ settlement }) => settlement?.crps ?? null),
    scored('offset_is_covered', 'BOOLEAN', ({ settlement }) => settlement?.isCovered ?? null),
    scored('won_lo', 'INT64', ({ wonLo }) => wonLo),
    scored('top_lo', 'INT64', ({ top }) => top?.lo ?? null),
    scored('top_prob', 'DOUBLE', ({ top }) => top?.prob ?? null),
  ],
};

type Decision = StreamRecords['decisions'];

export const DECISIONS: Schema<Decision> = {
  version: 3,
  eventAt: ({ madeAt }) => madeAt,
  columns: [
    ...forecasted<Decision>(),
    column('horizon_hours', 'INT64', ({ horizonHours }) => horizonHours),
    column('made_ts', 'INT64', ({ madeAt }) => madeAt),
    column('end_ts', 'INT64', ({ endAt }) => endAt),
    column('confidence', 'UTF8', ({ confidence }) => confidence),
    column('is_proven', 'BOOLEAN', ({ isProven }) => isProven),
    nullable('strategy', 'UTF8', ({ strategy }) => strategy),
    column('order_los', { list: 'INT64' }, ({ orderLos }) => orderLos),
    column(
      'buys',
      {
        list: {
          struct: {
            ...{ lo: 'INT64', hi: 'INT64', side: 'UTF8', prob: 'DOUBLE', price: 'DOUBLE' },
            ...{ cost: 'DOUBLE', stake: 'DOUBLE' },
          },
        },
      },
      ({ buys }) =>
        buys.map(({ lo, hi, side, prob, price, cost, stake }) => ({
          ...{ lo, hi, side: side ?? 'Yes', prob, price, cost: cost ?? null, stake },
        })),
    ),
  ],
};
