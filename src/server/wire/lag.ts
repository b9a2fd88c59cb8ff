import type { Lag, Percentiles } from '../../../streams/index.ts';

/** How long posts took to be seen, settled on and shown. `account` is the path segment. */
export function lagToWire(lag: Lag, account: string) {
  return {
    account,
    seen: percentilesToWire(lag.seen),
    oracle: percentilesToWire(lag.oracle),
    ui: percentilesToWire(lag.ui),
  };
}

function percentilesToWire({ n, p50, p90, p99 }: Percentiles) {
  return { n, p50_ms: p50, p90_ms: p90, p99_ms: p99 };
}
