import * as z from 'zod';
import type { Answer } from './askers.ts';
import { INPUTS, type Input } from './delivered-values.ts';
import type { ShownRecord } from './shown-records.ts';
import type { Violations } from './violations.ts';

const age = z.number().nullable();
const aged = z.object({
  event_id: z.number(),
  as_of: z.object({ ages_ms: z.object({ posts: age, oracle: age, ui: age, prices: age }) }),
});

/** Answers are made ready once a second, or for a second and a half where a tick is late, and ages in them are whole. */
const READY_MS = 1_600;

/** What is said to be as old as this may be of any age: nobody knows. */
const UNTOLD_MS = 86_400_000;

/** No record of an answer says that an input is younger than what the world has delivered. */
export function createTrueAges({
  heardAt,
  violations: { check },
}: {
  readonly heardAt: (eventId: string, input: Input) => number | undefined;
  readonly violations: Pick<Violations, 'check'>;
}): (shown: ShownRecord, answer: Pick<Answer, 'askedAt' | 'path'>) => void {
  return ({ record }, { askedAt, path }) => {
    // To be told by a parser that a record is of no event takes long.
    if (!('event_id' in record)) return;
    const parsed = aged.safeParse(record);
    if (!parsed.success) return;
    const { event_id: eventId, as_of: asOf } = parsed.data;
    for (const input of INPUTS) {
      const ageMs = asOf.ages_ms[input];
      const at = heardAt(String(eventId), input);
      if (ageMs === null || at === undefined) continue;
      // It was answered at some instant after it was asked, and perhaps heard again before.
      check(13, ageMs >= UNTOLD_MS || ageMs >= askedAt - at - READY_MS, () => {
        const trueMs = Math.round(askedAt - at);
        return `${path} says that ${input} of ${eventId} are ${ageMs} ms old, and they are ${trueMs}`;
      });
    }
  };
}
