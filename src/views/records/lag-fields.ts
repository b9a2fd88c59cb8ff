import type { Lag, Percentiles } from '../../../streams/internal.ts';
import type { RecordOf } from '../../contract/record-of.ts';
import type { lagRecord, percentilesRecord } from '../../contract/records/lag.ts';

/** How long posts took to be seen, settled on and shown. `account` is the path segment. */
export function lagToWire(lag: Lag, account: string): RecordOf<typeof lagRecord> {
  return {
    account,
    seen: percentilesToWire(lag.seen),
    oracle: percentilesToWire(lag.oracle),
    ui: percentilesToWire(lag.ui),
  };
}

function percentilesToWire({ n, p50, p90, p99 }: Percentiles): RecordOf<typeof percentilesRecord> {
  return { n, p50_ms: p50, p90_ms: p90, p99_ms: p99 };
}
