import { createTurns, type Publishing } from '../../src/engine/turns.ts';
import type { Store } from '../../src/store/store.ts';
import type { LatestWriter } from '../../src/views/latest.ts';
import type { GraphState } from '../../streams/internal.ts';
import type { Step } from './accounts.ts';

export interface EngineParts {
  readonly store: Store;
  readonly latest: LatestWriter;
  readonly state: GraphState;
  /** Where there are other machines. */
  readonly publishing?: Publishing;
}

/** Turns as the engine makes them, one for each step and at its time. */
interface LiveTurns {
  accept(step: Step): Promise<void>;
  now(): number;
  stop(): Promise<void>;
}

/** Requests to the simulators are left unanswered. */
export function openLiveTurns({ store, latest, state, publishing }: EngineParts): LiveTurns {
  let now = latest.at;
  const turns = createTurns({
    journal: store.journal,
    outputs: store.outputs,
    latest,
    state,
    clock: { wall: () => now, mono: () => performance.now() },
    request: () => undefined,
    report: (report) => {
      if (report.type === 'refused_write') throw report.error;
    },
  });
  if (publishing !== undefined) turns.publishTo(publishing);
  return {
    async accept({ at, facts }) {
      now = at;
      await turns.accept(facts);
    },
    now: () => now,
    stop: () => turns.stop(),
  };
}

export async function runSteps(parts: EngineParts, steps: Iterable<Step>): Promise<void> {
  const turns = openLiveTurns(parts);
  for (const step of steps) await turns.accept(step);
  await turns.stop();
}
