import type { Observable } from 'rxjs';
import type { Observation } from '../observation.ts';
import { type ActorFailure, type ActorStates, actors } from '../operators/actors.ts';
import type { OutputOf, Spot } from '../records.ts';

export interface SpotState {
  last: Spot | null;
}

/** The latest exchange price of each symbol; a tick older than the one held is left out, a correction is not. */
export function spot(
  observation$: Observable<Observation>,
  states: ActorStates<SpotState>,
  onFailure: (failure: ActorFailure<Observation>) => void,
): Observable<OutputOf<'spot'>> {
  return observation$.pipe(actors<Observation, SpotState, OutputOf<'spot'>>(behaviour, states, onFailure));
}

const behaviour = {
  name: 'spot',
  address: ({ fact }: Observation): readonly string[] =>
    fact.kind === 'spot' ? [...new Set(fact.ticks.map((tick) => tick.symbol))] : [],
  spawn: (): SpotState => ({ last: null }),
  receive(
    state: SpotState,
    { seq, receivedAt, fact }: Observation,
    emit: (output: OutputOf<'spot'>) => void,
    symbol: string,
  ) {
    if (fact.kind !== 'spot') return;
    for (const tick of fact.ticks) {
      if (tick.symbol !== symbol) continue;
      const { last } = state;
      if (last !== null && (tick.at < last.at || (tick.at === last.at && tick.price === last.price)))
        continue;
      const record = { symbol, price: tick.price, at: tick.at };
      state.last = record;
      emit({ stream: 'spot', key: symbol, seq, at: receivedAt, cause: 'spot', record });
    }
  },
};
