import { z } from 'zod';
import { timed } from './envelope.ts';

const score = z.number().nullable();
const interval = z
  .tuple([score, score])
  .nullable()
  .meta({ description: '95 % interval, lower and upper end; null below two events.' });

const CRPS = 'Continuous ranked probability score, posts; lower is better';
const LOG = 'Log score of the winning bucket; lower is better';
const BRIER = 'Brier score over the buckets; lower is better';

const of = (measure: string, who: string) => score.meta({ description: `${measure}. ${who}` });
const MODEL = 'Of the model.';
const PACE = 'Of a constant pace.';
const MARKET = 'Of the market.';
const LESS_PACE = 'Model less pace: below 0 is in favour of the model.';
const LESS_MARKET = 'Model less market: below 0 is in favour of the model.';

export const reliabilityBinRecord = z.object({
  from: z.number().meta({ description: 'Least probability of the bin, included.' }),
  to: z.number().meta({ description: 'Greatest probability of the bin.' }),
  n: z.int().min(1).meta({ description: 'Buckets in it.' }),
  mean_prob: score.meta({ description: 'Mean probability they were given.' }),
  won_share: score.meta({ description: 'Share of them that won.' }),
});

/** How a group of forecasts did, each event counting once. */
export const calibrationGroupRecord = z.object({
  origin: z
    .enum(['live', 'history'])
    .meta({ description: 'Published at the time, or made later from what was known at that time.' }),
  account: z.string().nullable().meta({ description: 'Path segment of the account; null for all.' }),
  horizon: z.int().nullable().meta({ description: 'Hours before the close; null for all.' }),
  n: z.int().min(0).meta({ description: 'Forecasts scored.' }),
  n_events: z.int().min(0).meta({ description: 'Events they are of.' }),
  n_market: z.int().min(0).meta({ description: 'Forecasts that had market prices beside them.' }),
  coverage90: score.meta({ description: 'Share of outcomes inside p5 to p95; 0.9 is right.' }),
  coverage90_interval: interval,
  pit_mean: score.meta({ description: 'Mean place of the outcome in the distribution; 0.5 is right.' }),
  pit_distance: score.meta({ description: 'Largest distance of those places from uniform; 0 is right.' }),
  crps: of(CRPS, MODEL),
  crps_pace: of(CRPS, PACE),
  crps_difference_pace: of(CRPS, LESS_PACE),
  crps_difference_pace_interval: interval,
  crps_market: of(CRPS, MARKET),
  crps_difference_market: of(CRPS, LESS_MARKET),
  crps_difference_market_interval: interval,
  log_score: of(LOG, MODEL),
  log_score_pace: of(LOG, PACE),
  log_score_difference_pace: of(LOG, LESS_PACE),
  log_score_difference_pace_interval: interval,
  log_score_market: of(LOG, MARKET),
  log_score_difference_market: of(LOG, LESS_MARKET),
  log_score_difference_market_interval: interval,
  brier: of(BRIER, MODEL),
  brier_pace: of(BRIER, PACE),
  brier_difference_pace: of(BRIER, LESS_PACE),
  brier_difference_pace_interval: interval,
  brier_market: of(BRIER, MARKET),
  brier_difference_market: of(BRIER, LESS_MARKET),
  brier_difference_market_interval: interval,
  no_demonstrated_edge: z
    .boolean()
    .meta({ description: 'The log score is not below that of the market by more than chance explains.' }),
  reliability: z
    .array(reliabilityBinRecord)
    .meta({ description: 'Of buckets given such a probability, how many won. Empty bins are left out.' }),
});

/** Coverage and scores against pace and market, by origin, account and horizon. */
export const calibrationRecord = timed({ data: z.array(calibrationGroupRecord) }).meta({
  description: 'How far the probabilities can be believed.',
});
