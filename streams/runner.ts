import { Subject } from 'rxjs';
import { type GraphOptions, type GraphState, graph } from './graph.ts';
import type { Observation } from './observation.ts';
import type { Output } from './records.ts';

export interface Runner {
  /** The state after the last observation. The next one changes it in place. */
  readonly state: GraphState;
  /** Returns the outputs of an observation. Observations have to come in the order of the log. */
  run(observation: Observation): readonly Output[];
}

/** A graph that starts from `state`: empty, or read from a checkpoint. */
export function createRunner(state: GraphState, options?: GraphOptions): Runner {
  const observation$ = new Subject<Observation>();
  let outputs: Output[] = [];
  graph(observation$, state, options).subscribe((output) => outputs.push(output));
  return {
    state,
    run(observation) {
      outputs = [];
      observation$.next(observation);
      return outputs;
    },
  };
}
