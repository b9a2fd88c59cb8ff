import * as z from 'zod';

const timestamp = z
  .int()
  .meta({ description: 'When this was answered, UTC ms', examples: [1_790_000_000_000] });
const requests = z.int().meta({ description: 'Requests answered, with any status', examples: [1_284] });
const errors = z.int().meta({ description: 'Requests answered with a status of 400 or more', examples: [7] });
const errorRate = z
  .number()
  .min(0)
  .max(1)
  .meta({ description: 'errors / requests, 4 decimals; 0 without requests', examples: [0.0055] });
const bytes = z
  .int()
  .meta({ description: 'Bytes of the bodies sent, without headers', examples: [2_517_004] });
const averageMs = z.number().meta({ description: 'Mean time to answer, ms, 3 decimals', examples: [0.213] });
const method = z.string().meta({ description: 'HTTP method', examples: ['GET'] });
const endpoint = z.string().meta({
  description: 'Path of the route; `unknown` for requests without a route',
  examples: ['/api/v1/meta/account_a'],
});

const covered = z
  .object({
    start: z.int().meta({ description: 'Unix seconds' }),
    end: z.int().meta({ description: 'Unix seconds, not included' }),
    start_ts: z.int().meta({ description: 'UTC ms' }),
    end_ts: z.int().meta({ description: 'UTC ms, not included' }),
  })
  .meta({
    description: 'Period of the sums: the requested one, as far back as usage is kept, and up to now',
    examples: [
      {
        start: 1_790_000_000,
        end: 1_790_086_400,
        start_ts: 1_790_000_000_000,
        end_ts: 1_790_086_400_000,
      },
    ],
  });

/** Usage of the calling key over the last days (INTERNAL). */
export const usageSummaryRecord = z
  .object({
    timestamp,
    key: z.string().meta({ description: 'Public id of the calling key', examples: ['demo-internal'] }),
    days: z.int().meta({ description: 'Days looked back', examples: [7] }),
    total_requests: requests,
    total_errors: errors,
    error_rate: errorRate,
    avg_response_time_ms: averageMs
      .nullable()
      .meta({ description: 'Mean time to answer, ms, 3 decimals; null without requests', examples: [0.213] }),
    total_bandwidth_bytes: bytes,
    covered,
  })
  .meta({ description: 'Usage of the calling key over the last days' });

/** Usage of the calling key per endpoint (INTERNAL). */
export const usageByEndpointRecord = z
  .object({
    timestamp,
    start: z.int().meta({ description: 'As requested, Unix seconds', examples: [1_790_000_000] }),
    end: z.int().meta({ description: 'As requested, Unix seconds', examples: [1_790_086_400] }),
    start_ts: z.int().meta({ description: 'The same start, UTC ms', examples: [1_790_000_000_000] }),
    end_ts: z.int().meta({ description: 'The same end, UTC ms', examples: [1_790_086_400_000] }),
    data: z
      .array(
        z.object({
          endpoint,
          method,
          requests,
          errors,
          error_rate: errorRate,
          avg_response_time_ms: averageMs,
          bandwidth_bytes: bytes,
        }),
      )
      .meta({ description: 'Busiest first' }),
    covered,
  })
  .meta({ description: 'Usage of the calling key per endpoint' });

/** The newest errors of the calling key (INTERNAL). */
export const usageErrorsRecord = z
  .object({
    timestamp,
    limit: z.int().meta({ description: 'As requested', examples: [100] }),
    data: z
      .array(
        z.object({
          endpoint,
          method,
          timestamp: z
            .int()
            .meta({ description: 'When it was answered, UTC ms', examples: [1_790_000_000_000] }),
          status_code: z.int().meta({ description: 'HTTP status', examples: [422] }),
          response_time_ms: z.number().meta({ description: 'ms, 3 decimals', examples: [0.187] }),
          message: z.string().meta({
            description: 'The error sentence of the answer, without any input of the caller',
            examples: ['the request has invalid parameters'],
          }),
        }),
      )
      .meta({ description: 'Newest first; the last 1,000 are kept' }),
  })
  .meta({ description: 'The newest errors of the calling key' });

/** How usage is recorded, for all keys together (INTERNAL). */
export const usageStatsRecord = z
  .object({
    timestamp,
    buffer: z.object({
      size: z.int().meta({ description: 'Requests recorded and not yet added to the sums', examples: [3] }),
      capacity: z
        .int()
        .meta({ description: 'Most requests that it holds between two flushes', examples: [32_768] }),
      last_flush_ts: z
        .int()
        .nullable()
        .meta({
          description: 'When the buffer was last written to disk, UTC ms; null before',
          examples: [1_790_000_000_000],
        }),
      dropped: z
        .int()
        .meta({ description: 'Requests since the start that are missing from the sums', examples: [0] }),
    }),
    tracking: z.object({
      enabled: z.boolean().meta({ description: 'Whether usage is recorded', examples: [true] }),
      flush_interval_ms: z
        .int()
        .meta({ description: 'Longest time of usage that a crash can lose', examples: [1_000] }),
      retention_days: z.int().meta({ description: 'Days usage is kept', examples: [90] }),
    }),
  })
  .meta({ description: 'How usage is recorded' });
