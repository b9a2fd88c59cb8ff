import { createRng } from '../../src/world/rng.ts';
import type { Output } from '../../streams/internal.ts';
import { countersOutput, eventOutput, NOON } from '../support/outputs.ts';

/** What is observed in a run: it follows from the seed alone, so that every process of it goes on where the last one ended. */

export const EVENTS = [1, 2] as const;

/** How far our own count is ahead of the oracle, at each seq after the first and for each event. */
export function deltasOf(seed: number, last: number): readonly (readonly number[])[] {
  const rng = createRng('alerts', seed);
  const deltas = EVENTS.map(() => 0);
  return Array.from({ length: last + 1 }, (_, seq) => {
    if (seq > 1) {
      for (const index of deltas.keys()) {
        const step = Math.floor(rng.next() * 3) - 1;
        deltas[index] = Math.min(5, Math.max(0, (deltas[index] ?? 0) + step));
      }
    }
    return [...deltas];
  });
}

export function outputsAt(deltas: ReturnType<typeof deltasOf>, seq: number): readonly Output[] {
  const at = NOON + seq;
  if (seq === 1) return EVENTS.map((eventId) => eventOutput({ eventId }, { seq, at }));
  return EVENTS.map((eventId, index) =>
    countersOutput({ eventId, settlementDelta: deltas[seq]?.[index] ?? null }, { seq, at }),
  );
}

interface WatchedRule {
  readonly id: string;
  readonly least: number;
  /** It is armed again at this number or below. */
  readonly rearm: number;
}

export const RULES: readonly WatchedRule[] = [
  { id: 'one', least: 1, rearm: 0 },
  { id: 'three', least: 3, rearm: 2 },
  { id: 'wide', least: 4, rearm: 1 },
];

/** `seq event value` of every alert of a rule, in order. */
export function expectedAlerts(deltas: ReturnType<typeof deltasOf>, { least, rearm }: WatchedRule) {
  const isArmed = EVENTS.map(() => true);
  return deltas.flatMap((values, seq) =>
    seq < 2
      ? []
      : values.flatMap((value, index) => {
          if (value <= rearm) isArmed[index] = true;
          if (value < least || isArmed[index] !== true) return [];
          isArmed[index] = false;
          return [`${seq} ${EVENTS[index]} ${value}`];
        }),
  );
}
