import type { Lag, Percentiles } from '../../../streams/internal.ts';
import type { RecordOf } from '../../contract/record-of.ts';
import type { lagRecord, percentilesRecord } from '../../contract/records/lag.ts';
import type { AccountPath } from '../account-path.ts';
import { openRecord } from '../as-of.ts';
import type { RecordView } from '../record-view.ts';

/** How far the service, the oracle and the trading page are behind: GET /meta/{account}/lag and the channel `lag`. */
export function lagView({ id, segment }: AccountPath): RecordView {
  return {
    audiences: 'everyone',
    listsStale: false,
    hasAsOf: true,
    movedBy: { lag: ({ key }) => (key === id ? [segment] : undefined) },
    keys: (latest) => (latest.get('lag', id) ? [segment] : []),
    render({ latest }) {
      const lag = latest.get('lag', id);
      if (lag === undefined) return undefined;
      const text = openRecord(lagToWire(lag.record, segment), lag);
      return () => text;
    },
  };
}

function lagToWire(lag: Lag, account: string): RecordOf<typeof lagRecord> {
  return {
    account,
    seen: percentilesToWire(lag.seen),
    oracle: percentilesToWire(lag.oracle),
    ui: percentilesToWire(lag.ui),
  };
}

export function percentilesToWire({ n, p50, p90, p99 }: Percentiles): RecordOf<typeof percentilesRecord> {
  return { n, p50_ms: p50, p90_ms: p90, p99_ms: p99 };
}
