import { createTurns } from '../../src/engine/turns.ts';
import type { Store } from '../../src/store/store.ts';
import type { LatestWriter } from '../../src/views/latest.ts';
import type { GraphState } from '../../streams/internal.ts';
import type { Step } from './accounts.ts';

/** Runs steps as the engine does, each as one turn at its own time. Requests to the simulators are left unanswered. */
export async function runSteps(
  {
    store,
    latest,
    state,
  }: { readonly store: Store; readonly latest: LatestWriter; readonly state: GraphState },
  steps: Iterable<Step>,
): Promise<void> {
  let now = 0;
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
  for (const { at, facts } of steps) {
    now = at;
    await turns.accept(facts);
  }
  await turns.stop();
}
