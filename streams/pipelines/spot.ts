import type { Observable } from 'rxjs';
import { TOLERANCE_MS } from '../model/post-ids.ts';
import type { Observation } from '../observation.ts';
import { type ActorStates, actors, type Behaviour, type OnFailure } from '../operators/actors.ts';
import type { OutputOf, Spot } from '../records.ts';
import type { Inputs } from './messages.ts';

export interface SpotState {
  last: Spot | null;
}

/** The latest exchange price of each symbol. An older tick is ignored; another price for the same instant is a correction. */
export function spot(
  { observation$ }: Inputs<'observation'>,
  states: ActorStates<SpotState>,
  onFailure: OnFailure,
): Observable<OutputOf<'spot'>> {
  return observation$.pipe(actors(behaviour, states, onFailure));
}

const behaviour: Behaviour<Observation, SpotState, OutputOf<'spot'>> = {
  name: 'spot',
  address: ({ fact }) => (fact.kind === 'spot' ? [...new Set(fact.ticks.map((tick) => tick.symbol))] : []),
  spawn: () => ({ last: null }),
  receive(state, { seq, receivedAt, fact }, emit, symbol) {
    if (fact.kind !== 'spot') return;
    for (const tick of fact.ticks) {
      if (tick.symbol !== symbol) continue;
      const { last } = state;
      const isOld = last !== null && tick.at < last.at;
      // A price of the future would keep out all others until then.
      const isLastWrong = last !== null && last.at > receivedAt + TOLERANCE_MS;
      if ((isOld && !isLastWrong) || (tick.at === last?.at && tick.price === last.price)) continue;
      const record = { symbol, price: tick.price, at: tick.at };
      state.last = record;
      emit({ stream: 'spot', key: symbol, seq, at: receivedAt, cause: 'spot', record });
    }
  },
};
