import { Subject } from 'rxjs';
import { type GraphState, graph } from './graph.ts';
import type { Observation } from './observation.ts';
import type { Output } from './records.ts';

/** One observation in, its outputs out. */
export interface Runner {
  /** The graph after the last observation; changed in place by the next one. */
  readonly state: GraphState;
  /** Observations are run in the order of the log. The outputs are in the graph's order. */
  run(observation: Observation): readonly Output[];
}

/** A graph that starts from `state`: empty, or read from a checkpoint. */
export function createRunner(state: GraphState): Runner {
  const observation$ = new Subject<Observation>();
  let outputs: Output[] = [];
  graph(observation$, state).subscribe((output) => outputs.push(output));
  return {
    state,
    run(observation) {
      outputs = [];
      observation$.next(observation);
      return outputs;
    },
  };
}
