import * as z from 'zod';
import { timed } from './envelope.ts';
import { origin } from './fields.ts';
import { accountTrackRecord, omittedAccounts } from './performance.ts';
import { sleepScoreRecord } from './sleep-score.ts';

const score = z.number().nullable();
const interval = z
  .tuple([score, score])
  .nullable()
  .meta({ description: '95 % interval, lower and upper end; null with fewer than two events.' });

const CRPS = 'Continuous ranked probability score, posts; lower is better';
const LOG = 'Log score of the winning bucket; lower is better';
const BRIER = 'Brier score over the buckets; lower is better';

const scoreOf = (measure: string, who: string) => score.meta({ description: `${measure}. ${who}` });
const MODEL = 'Of the model.';
const PACE = 'Of a constant pace.';
const MARKET = 'Of the market.';
const LESS_PACE = 'Model minus pace: below 0 the model is better.';
const LESS_MARKET = 'Model minus market: below 0 the model is better.';

export const reliabilityBinRecord = z.object({
  from: z.number().meta({ description: 'Least probability of the bin, included.' }),
  to: z.number().meta({ description: 'Greatest probability of the bin.' }),
  n: z.int().min(1).meta({ description: 'Buckets in the bin.' }),
  mean_prob: score.meta({ description: 'Mean forecast probability of these buckets.' }),
  won_share: score.meta({ description: 'Share of these buckets that won.' }),
});

const POOL = 'Of the log pool of both: the normalised geometric mean of their probabilities.';
const less = (measure: string, what: string) => scoreOf(measure, `${what}: below 0 the first is better.`);

/** Model, market and their pool on the same forecasts, each event counting once. */
export const sameInstantsRecord = z.object({
  n: z.int().min(1).meta({ description: 'Forecasts beside which every bucket had a price.' }),
  n_events: z.int().min(1).meta({ description: 'Events of these forecasts.' }),
  log_score: scoreOf(LOG, MODEL),
  log_score_market: scoreOf(LOG, MARKET),
  log_score_pool: scoreOf(LOG, POOL),
  log_score_model_less_market: less(LOG, 'Model minus market'),
  log_score_model_less_market_interval: interval,
  log_score_pool_less_market: less(LOG, 'Pool minus market'),
  log_score_pool_less_market_interval: interval,
  log_score_pool_less_model: less(LOG, 'Pool minus model'),
  log_score_pool_less_model_interval: interval,
  brier: scoreOf(BRIER, MODEL),
  brier_market: scoreOf(BRIER, MARKET),
  brier_pool: scoreOf(BRIER, POOL),
  brier_model_less_market: less(BRIER, 'Model minus market'),
  brier_model_less_market_interval: interval,
  brier_pool_less_market: less(BRIER, 'Pool minus market'),
  brier_pool_less_market_interval: interval,
  brier_pool_less_model: less(BRIER, 'Pool minus model'),
  brier_pool_less_model_interval: interval,
});

/** Scores of a group of forecasts; each event counts once. */
export const calibrationGroupRecord = z.object({
  origin,
  account: z.string().nullable().meta({ description: 'Path segment of the account; null for all.' }),
  horizon: z.int().nullable().meta({ description: 'Hours before the close; null for all.' }),
  n: z.int().min(0).meta({ description: 'Forecasts scored.' }),
  n_events: z.int().min(0).meta({ description: 'Events of these forecasts.' }),
  n_market: z.int().min(0).meta({ description: 'Forecasts with market prices to compare with.' }),
  coverage90: score.meta({ description: 'Share of outcomes inside p5 to p95; 0.9 is right.' }),
  coverage90_interval: interval,
  pit_mean: score.meta({ description: 'Mean position of the outcome in the distribution; 0.5 is right.' }),
  pit_distance: score.meta({
    description: 'Largest distance of those positions from a uniform distribution; 0 is right.',
  }),
  crps: scoreOf(CRPS, MODEL),
  crps_pace: scoreOf(CRPS, PACE),
  crps_difference_pace: scoreOf(CRPS, LESS_PACE),
  crps_difference_pace_interval: interval,
  crps_market: scoreOf(CRPS, MARKET),
  crps_difference_market: scoreOf(CRPS, LESS_MARKET),
  crps_difference_market_interval: interval,
  log_score: scoreOf(LOG, MODEL),
  log_score_pace: scoreOf(LOG, PACE),
  log_score_difference_pace: scoreOf(LOG, LESS_PACE),
  log_score_difference_pace_interval: interval,
  log_score_market: scoreOf(LOG, MARKET),
  log_score_difference_market: scoreOf(LOG, LESS_MARKET),
  log_score_difference_market_interval: interval,
  brier: scoreOf(BRIER, MODEL),
  brier_pace: scoreOf(BRIER, PACE),
  brier_difference_pace: scoreOf(BRIER, LESS_PACE),
  brier_difference_pace_interval: interval,
  brier_market: scoreOf(BRIER, MARKET),
  brier_difference_market: scoreOf(BRIER, LESS_MARKET),
  brier_difference_market_interval: interval,
  same_instants: sameInstantsRecord.nullable().meta({
    description:
      'Model, market and the log pool of both, only where all three have a probability of the same instant: a forecast beside which every bucket had a price. Null without any.',
  }),
  no_demonstrated_edge: z.boolean().meta({
    description:
      'True unless all of log_score_difference_market_interval lies below 0, over 30 or more events forecast live with prices. This asks for more than proven_against does.',
  }),
  reliability: z
    .array(reliabilityBinRecord)
    .meta({ description: 'How many of the buckets with such a probability won. Empty bins are omitted.' }),
});

/** Coverage and scores against pace and market, by origin, account and horizon. */
export const calibrationRecord = timed({
  data: z.array(calibrationGroupRecord),
  track_records: z.array(accountTrackRecord),
  sleep: z.array(sleepScoreRecord).meta({ description: 'The sleep probability of each account.' }),
  omitted_accounts: omittedAccounts,
}).meta({ description: 'How reliable the probabilities are.' });
