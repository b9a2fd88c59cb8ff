import * as z from 'zod';
import type { Store } from '../../src/store/store.ts';
import type { ShownRecord } from './shown-records.ts';
import type { Violations } from './violations.ts';

const CHANNELS = ['counters', 'prediction'];

const count = z.number().nullable();
const counted = z.object({
  event_id: z.number(),
  market_oracle_counter: count,
  real_counter: count,
  market_ui_counter: count,
  as_of: z.object({ seq: z.number() }),
});

/** Compares the counters that are shown with those that the streams gave, which are on disk. */
export function createShownCounters({
  kept,
  violations,
}: {
  readonly kept: Pick<Store, 'outputs'>;
  readonly violations: Violations;
}): (shown: ShownRecord) => void {
  return ({ channel, record }) => {
    if (!CHANNELS.includes(channel)) return;
    const shown = counted.parse(record);
    const counters = kept.outputs.get('counters', String(shown.event_id));
    // It may have changed since it was shown.
    if (counters?.stream !== 'counters' || counters.seq > shown.as_of.seq) return;
    const { real, oracle, ui } = counters.record;
    const told = [shown.real_counter, shown.market_oracle_counter, shown.market_ui_counter];
    violations.check(
      1,
      JSON.stringify(told) === JSON.stringify([real, oracle, ui]),
      () => `${channel} tells ${told} of ${shown.event_id}, the streams ${[real, oracle, ui]}`,
    );
  };
}
