import * as z from 'zod';
import type { ShownRecord } from './shown-records.ts';
import type { Violations } from './violations.ts';

const number = z.number().nullable();
const counters = z.object({
  market_oracle_counter: number,
  real_counter: number,
  market_ui_counter: number,
  settlement_delta: number,
  display_delta: number,
  internal_delta: number,
});

function difference(left: number | null, right: number | null): number | null {
  return left === null || right === null ? null : left - right;
}

/** Each delta is the difference of the two counters beside it, and unknown where one of them is. */
export function createDeltaIdentity({ check }: Pick<Violations, 'check'>): (shown: ShownRecord) => void {
  return ({ channel, key, record }) => {
    // To be told by a parser that a record has no counters takes long.
    if (!('settlement_delta' in record)) return;
    const parsed = counters.safeParse(record);
    if (!parsed.success) return;
    const {
      market_oracle_counter: oracle,
      real_counter: real,
      market_ui_counter: ui,
      ...deltas
    } = parsed.data;
    const holds =
      deltas.settlement_delta === difference(real, oracle) &&
      deltas.display_delta === difference(real, ui) &&
      deltas.internal_delta === difference(ui, oracle);
    check(10, holds, () => `${channel} of ${key}: ${JSON.stringify(parsed.data)}`);
  };
}
