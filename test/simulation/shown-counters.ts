import * as z from 'zod';
import type { Store } from '../../src/store/store.ts';
import type { Answer } from './askers.ts';
import { parsedJson } from './parsed-json.ts';
import type { Violations } from './violations.ts';

const PATH = /^\/api\/v1\/(?:meta|prediction)\/account_[ab]$/;

const count = z.number().nullable();
const answered = z.object({
  data: z.array(
    z.object({
      event_id: z.number(),
      market_oracle_counter: count,
      real_counter: count,
      market_ui_counter: count,
      as_of: z.object({ seq: z.number() }),
    }),
  ),
});

/** Compares the counters in answers with those that the streams gave, which are on disk. */
export function createShownCounters({
  kept,
  violations,
}: {
  readonly kept: Pick<Store, 'outputs'>;
  readonly violations: Violations;
}): (answer: Pick<Answer, 'path' | 'body'>) => void {
  return ({ path, body }) => {
    if (!PATH.test(path)) return;
    for (const shown of answered.parse(parsedJson(body)).data) {
      const counters = kept.outputs.get('counters', String(shown.event_id));
      // It may have changed since it was answered.
      if (counters?.stream !== 'counters' || counters.seq > shown.as_of.seq) continue;
      const { real, oracle, ui } = counters.record;
      const told = [shown.real_counter, shown.market_oracle_counter, shown.market_ui_counter];
      violations.check(
        1,
        JSON.stringify(told) === JSON.stringify([real, oracle, ui]),
        () => `${path} tells ${told} of ${shown.event_id}, the streams ${[real, oracle, ui]}`,
      );
    }
  };
}
