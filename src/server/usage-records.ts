import type { Covered, UsageStats } from '../access/usage/tracking.ts';
import type { RecordOf } from '../contract/record-of.ts';
import type {
  usageByEndpointRecord,
  usageErrorsRecord,
  usageStatsRecord,
  usageSummaryRecord,
} from '../contract/records/usage.ts';
import type { UsageError, UsageRow } from '../store/store.ts';

interface Sum {
  readonly rows: readonly UsageRow[];
  readonly covered: Covered;
}

const rateOf = (errors: number, requests: number) =>
  requests === 0 ? 0 : Math.round((errors / requests) * 10_000) / 10_000;
/** To microseconds, as further digits are noise. */
const roundMs = (ms: number) => Math.round(ms * 1_000) / 1_000;
const unixSeconds = (at: number) => Math.floor(at / 1_000);
const coveredToWire = ({ fromAt, toAt }: Covered) => ({
  start: unixSeconds(fromAt),
  end: unixSeconds(toAt),
  start_ts: fromAt,
  end_ts: toAt,
});

export function usageSummaryToWire(
  timestamp: number,
  key: string,
  days: number,
  { rows, covered }: Sum,
): RecordOf<typeof usageSummaryRecord> {
  const total = { requests: 0, errors: 0, ms: 0, bytes: 0 };
  for (const { requests, errors, ms, bytes } of rows) {
    total.requests += requests;
    total.errors += errors;
    total.ms += ms;
    total.bytes += bytes;
  }
  return {
    timestamp,
    key,
    days,
    total_requests: total.requests,
    total_errors: total.errors,
    error_rate: rateOf(total.errors, total.requests),
    avg_response_time_ms: total.requests === 0 ? null : roundMs(total.ms / total.requests),
    total_bandwidth_bytes: total.bytes,
    covered: coveredToWire(covered),
  };
}

export function usageByEndpointToWire(
  timestamp: number,
  { start, end }: { start: number; end: number },
  { rows, covered }: Sum,
): RecordOf<typeof usageByEndpointRecord> {
  return {
    timestamp,
    start,
    end,
    start_ts: start * 1_000,
    end_ts: end * 1_000,
    data: rows.map(({ endpoint, method, requests, errors, ms, bytes }) => ({
      endpoint,
      method,
      requests,
      errors,
      error_rate: rateOf(errors, requests),
      avg_response_time_ms: roundMs(ms / requests),
      bandwidth_bytes: bytes,
    })),
    covered: coveredToWire(covered),
  };
}

export function usageErrorsToWire(
  timestamp: number,
  limit: number,
  errors: readonly UsageError[],
): RecordOf<typeof usageErrorsRecord> {
  return {
    timestamp,
    limit,
    data: errors.map(({ endpoint, method, at, status, ms, message }) => ({
      endpoint,
      method,
      timestamp: at,
      status_code: status,
      response_time_ms: roundMs(ms),
      message,
    })),
  };
}

export function usageStatsToWire(timestamp: number, stats: UsageStats): RecordOf<typeof usageStatsRecord> {
  const { size, capacity, lastFlushAt, dropped, flushIntervalMs, retentionDays } = stats;
  return {
    timestamp,
    buffer: { size, capacity, last_flush_ts: lastFlushAt, dropped },
    tracking: { enabled: true, flush_interval_ms: flushIntervalMs, retention_days: retentionDays },
  };
}
