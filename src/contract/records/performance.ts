import { z } from 'zod';
import { timed } from './envelope.ts';
import { eventId, isoTime, origin } from './fields.ts';

const percent = z.number().min(0).nullable();

export const forecastErrorRecord = z.object({
  median: percent.meta({ description: 'Median error, percent of the final count; null without a sample.' }),
  p90: percent.meta({ description: 'Error that 90 % of the forecasts did not exceed, percent.' }),
  sample_size: z.int().min(0).meta({ description: 'Settled events measured.' }),
});

const errors = {
  error_24h: forecastErrorRecord.meta({ description: 'Error of the median 24 h before the close.' }),
  error_48h: forecastErrorRecord.meta({ description: 'Error of the median 48 h before the close.' }),
  error_72h: forecastErrorRecord.meta({ description: 'Error of the median 72 h before the close.' }),
};

const share = percent.meta({
  description: 'Percent of BUY signals whose bucket won; null without a sample.',
});
const samples = z.int().min(0).meta({ description: 'Settled events with such a signal.' });

/** Errors of the forecasts (spec 2.9). */
export const overviewRecord = timed({
  ...errors,
  win_rate: z
    .object({ HIGH: share, MEDIUM: share, LOW: share })
    .meta({ description: 'Percent of BUY signals that won, by confidence, each event once.' }),
  win_rate_sample_size: z
    .object({ HIGH: samples, MEDIUM: samples, LOW: samples })
    .meta({ description: 'Settled events behind each rate.' }),
  last_updated: isoTime.meta({ description: 'When the last event was scored, ISO 8601, UTC.' }),
  by_origin: z
    .object({ live: z.object(errors), history: z.object(errors) })
    .meta({ description: 'The same errors for each origin of the forecasts.' }),
}).meta({ description: 'Errors of the forecasts by horizon.' });

export const sampleRecord = z.object({
  timestamp: isoTime.meta({ description: 'Close of the event, ISO 8601, UTC.' }),
  error_pct: percent.meta({ description: 'Error of the median, percent of the final count.' }),
  event_id: eventId,
  account: z.string().meta({ description: 'Path segment of the account.' }),
  origin,
  p50: z.number().meta({ description: 'The median that was forecast, posts.' }),
  final_count: z.int().meta({ description: 'The count that settled the event, posts.' }),
  model_version: z
    .string()
    .meta({ description: 'Version of the formulas and of the fit behind the forecast.' }),
});

export const annotationRecord = z.object({
  timestamp: isoTime.meta({ description: 'When the model was first used, ISO 8601, UTC.' }),
  label: z.string().meta({ description: 'What changed.' }),
  commit: z.string().meta({ description: 'Version of the model.' }),
});

/** The error of every settled event (spec 2.9). */
export const historyRecord = timed({
  data: z.array(sampleRecord).meta({ description: 'Ordered by the close of the event.' }),
  annotations: z.array(annotationRecord).meta({ description: 'Changes of the model.' }),
}).meta({ description: 'Errors of past forecasts.' });
