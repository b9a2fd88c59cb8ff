import * as z from 'zod';
import { MOST_LISTED_ACCOUNTS } from '../account.ts';
import { timed } from './envelope.ts';
import { eventId, isoTime, origin, timeMs } from './fields.ts';
import { level, trackRecord } from './signals.ts';

const percent = z.number().min(0).nullable();

export const forecastErrorRecord = z.object({
  median: percent.meta({ description: 'Median error, percent of the final count; null without a sample.' }),
  p90: percent.meta({ description: 'Error that 90 % of the forecasts did not exceed, percent.' }),
  sample_size: z.int().min(0).meta({ description: 'Settled events measured.' }),
});

export const horizonErrorRecord = forecastErrorRecord.extend({
  n_market: z.int().min(0).meta({ description: 'Forecasts with market prices beside them.' }),
  live: forecastErrorRecord.meta({ description: 'Of forecasts published before the outcome.' }),
  backfilled: forecastErrorRecord.meta({
    description: 'Of forecasts made later, from what was known at their time.',
  }),
});

const errorAt = (hours: number) =>
  horizonErrorRecord.meta({
    description: `Error of the median ${hours} h before the close, live and back-filled forecasts together and apart.`,
  });

const errors = { error_24h: errorAt(24), error_48h: errorAt(48), error_72h: errorAt(72) };

const errorsOfOrigin = {
  error_24h: forecastErrorRecord,
  error_48h: forecastErrorRecord,
  error_72h: forecastErrorRecord,
};

const share = percent.meta({
  description: 'Percent of BUY signals whose bucket won; null without a sample.',
});
const samples = z.int().min(0).meta({ description: 'Settled events with such a signal.' });

const sideResultRecord = z
  .object({
    bets: z.int().min(0).meta({ description: 'Settled bets.' }),
    events: z.int().min(0).meta({ description: 'Settled events with such a bet.' }),
    won_percent: z.number().min(0).max(100).nullable().meta({ description: 'Percent of them that won.' }),
    return_percent: z.number().min(-100).nullable().meta({
      description:
        'What they made, percent of the stakes: a share paid the best price with the taker fee, and settled at 1 or 0.',
    }),
  })
  .meta({ description: 'How all bets on one side did.' });

/** The track record of one account at one horizon, as the signals use it. */
export const accountTrackRecord = trackRecord
  .extend({
    account: z.string().meta({ description: 'Path segment of the account.' }),
    confidence: level.meta({
      description: 'How well calibrated all these forecasts were, live and back-filled.',
    }),
    proven: z.boolean().meta({ description: 'Whether proven_against has the market.' }),
  })
  .meta({ description: 'What settled events show about one account and horizon, and what that rests on.' });

export const omittedAccounts = z
  .int()
  .min(1)
  .optional()
  .meta({
    description: `How many accounts have no record of their own in this answer: all, when there are more than ${MOST_LISTED_ACCOUNTS}. Absent when none is left out. The parameter account asks for one.`,
    examples: [180],
  });

/** Errors of the forecasts (spec 2.9). */
export const overviewRecord = timed({
  ...errors,
  win_rate: z
    .object({ HIGH: share, MEDIUM: share, LOW: share })
    .meta({ description: 'Percent of BUY signals given live that won, by confidence, each event once.' }),
  win_rate_sample_size: z
    .object({ HIGH: samples, MEDIUM: samples, LOW: samples })
    .meta({ description: 'Settled events behind each rate.' }),
  win_rate_unproven: z.object({ HIGH: samples, MEDIUM: samples, LOW: samples }).meta({
    description: 'Those at a horizon where the model had not been shown to be better than the market.',
  }),
  bets_by_side: z.object({ yes: sideResultRecord, no: sideResultRecord }).meta({
    description:
      'The bets that the signals gave live for 1,000 USD, each event once, on Yes (BUY) and on No (SELL without a position) apart.',
  }),
  last_updated: isoTime.meta({ description: 'When the last event was scored, ISO 8601, UTC.' }),
  comparable: z.object({ n: z.int().min(0).meta({ description: 'Such events.' }), ...errors }).meta({
    description:
      'The same errors over the events that have all three, for comparing them. The errors above are of different events: a window of two days has none at 72 h.',
  }),
  by_origin: z
    .object({ live: z.object(errorsOfOrigin), history: z.object(errorsOfOrigin) })
    .meta({ description: 'The same errors for each origin of the forecasts.' }),
  track_records: z.array(accountTrackRecord),
  omitted_accounts: omittedAccounts,
}).meta({ description: 'Errors of the forecasts by horizon.' });

const modelVersion = z
  .string()
  .meta({ description: 'Version of the formulas and of the fit behind the forecast.' });

export const sampleRecord = z.object({
  timestamp: isoTime.meta({ description: 'Close of the event, ISO 8601, UTC.' }),
  error_pct: percent.meta({ description: 'Error of the median, percent of the final count.' }),
  event_id: eventId,
  account: z.string().meta({ description: 'Path segment of the account.' }),
  origin,
  p50: z.number().meta({ description: 'The median that was forecast, posts.' }),
  final_count: z.int().meta({
    description:
      "The count that settled the event, posts: the oracle's, or our own for an event of which the oracle has none.",
  }),
  model_version: modelVersion,
  has_market: z.boolean().meta({ description: 'Whether market prices were beside the forecast.' }),
});

export const voidRecord = z.object({
  timestamp: isoTime.meta({ description: 'The close that was forecast, ISO 8601, UTC.' }),
  event_id: eventId,
  account: z.string().meta({ description: 'Path segment of the account.' }),
  origin,
  forecast_id: z.string().meta({ description: 'Id of the forecast.' }),
  forecast_ts: timeMs.meta({ description: 'When it was made, UTC ms.' }),
  model_version: modelVersion,
});

export const annotationRecord = z.object({
  timestamp: isoTime.meta({ description: 'When the model first published a forecast, ISO 8601, UTC.' }),
  label: z.string().meta({ description: 'What changed.' }),
  commit: z.string().meta({ description: 'Version of the formulas, whatever the fit.' }),
});

/** The error of every settled event (spec 2.9). */
export const historyRecord = timed({
  data: z.array(sampleRecord).meta({ description: 'Ordered by the close of the event.' }),
  void: z.array(voidRecord).meta({
    description:
      'Forecasts of this horizon that are not scored: the window or the buckets of the event changed after they were made.',
  }),
  annotations: z
    .array(annotationRecord)
    .meta({ description: 'Every version of the model, whatever the span that is asked for.' }),
}).meta({ description: 'Errors of past forecasts.' });
