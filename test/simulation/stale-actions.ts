import * as z from 'zod';
import type { Answer } from './askers.ts';
import { INPUTS, type Input } from './delivered-values.ts';
import type { ShownRecord } from './shown-records.ts';
import type { Violations } from './violations.ts';

const decision = z.string().nullable().optional();
const decided = z.object({
  event_id: z.number(),
  stale: z.array(z.string()),
  signals: z.array(z.object({ action: decision })).optional(),
  BUY: z.array(z.unknown()).optional(),
  SELL: z.array(z.unknown()).optional(),
  markets: z.array(z.object({ signal: decision })).optional(),
});
const held = z.object({
  event: z.object({ id: z.number() }),
  stale: z.array(z.string()),
  positions: z.array(z.object({ sizing: z.object({ action: decision }).optional() })).optional(),
  adjustments: z.array(z.object({ action: decision })).optional(),
});

/** What tells somebody to trade. */
const ACTIONS: ReadonlySet<string> = new Set(['BUY', 'STRONG_BUY', 'SLIGHT_BUY', 'SELL', 'ADD_MORE', 'TRIM']);
/** A limit is passed within the second in which it is noticed. */
const NOTICED_MS = 2_000;

interface Advice {
  readonly eventId: number;
  readonly stale: readonly string[];
  readonly actions: readonly string[];
}

function adviceIn(record: ShownRecord['record']): Advice | undefined {
  const isAction = (action: string | null | undefined) =>
    action != null && ACTIONS.has(action) ? [action] : [];
  // What lacks these fields has neither form, and to be told so by a parser takes long.
  if (!('stale' in record)) return undefined;
  const one = 'event_id' in record ? decided.safeParse(record) : undefined;
  if (one?.success === true) {
    const { event_id: eventId, stale, signals = [], markets = [], BUY = [], SELL = [] } = one.data;
    const actions = [
      ...signals.flatMap(({ action }) => isAction(action)),
      ...markets.flatMap(({ signal }) => isAction(signal)),
      ...BUY.map(() => 'an order to buy'),
      ...SELL.map(() => 'an order to sell'),
    ];
    return { eventId, stale, actions };
  }
  const position = 'event' in record ? held.safeParse(record) : undefined;
  if (position?.success !== true) return undefined;
  const { event, stale, positions = [], adjustments = [] } = position.data;
  const sizes = [...positions.map(({ sizing }) => sizing), ...adjustments];
  return { eventId: event.id, stale, actions: sizes.flatMap((size) => isAction(size?.action)) };
}

interface StaleActions {
  /** Told each record that is shown. */
  onRecord(shown: ShownRecord): void;
  /** Told each record of an answer: what the world delivered since it was asked for is not counted against it. */
  onAnswer(shown: ShownRecord, answer: Pick<Answer, 'askedAt' | 'path'>): void;
}

/** Nobody is told to trade on an input that is older than its limit, whether the record says so or the world. */
export function createStaleActions({
  heardAt,
  limitsMs,
  violations: { check },
}: {
  readonly heardAt: (eventId: string, input: Input) => number | undefined;
  /** The limits that hold now. */
  readonly limitsMs: () => Readonly<Record<Input, number>>;
  readonly violations: Pick<Violations, 'check'>;
}): StaleActions {
  return {
    onRecord({ channel, record }) {
      const advice = adviceIn(record);
      if (advice === undefined) return;
      const { eventId, stale, actions } = advice;
      check(
        12,
        stale.length === 0 || actions.length === 0,
        () => `${channel} of ${eventId} says ${actions[0]} although ${stale} are stale`,
      );
    },
    onAnswer({ record }, { askedAt, path }) {
      const advice = adviceIn(record);
      if (advice === undefined) return;
      const { eventId, actions } = advice;
      const limits = limitsMs();
      for (const input of INPUTS) {
        const ageMs = askedAt - (heardAt(String(eventId), input) ?? askedAt);
        check(
          12,
          ageMs <= limits[input] + NOTICED_MS || actions.length === 0,
          () => `${path} says ${actions[0]} of ${eventId}, and ${input} are ${Math.round(ageMs)} ms old`,
        );
      }
    },
  };
}
