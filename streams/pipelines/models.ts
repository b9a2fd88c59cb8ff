import type { Observable } from 'rxjs';
import { modelOf } from '../model/forecast/params.ts';
import { type ActorStates, actors, type Behaviour, type OnFailure } from '../operators/actors.ts';
import type { OutputOf } from '../records.ts';
import type { Inputs } from './messages.ts';

export interface ModelsState {
  isKnown: boolean;
}

/** Emits each model once, with its first published forecast. */
export function models(
  { prediction$ }: Inputs<'prediction'>,
  states: ActorStates<ModelsState>,
  onFailure: OnFailure,
): Observable<OutputOf<'models'>> {
  return prediction$.pipe(actors(behaviour, states, onFailure));
}

const behaviour: Behaviour<OutputOf<'predictions'>, ModelsState, OutputOf<'models'>> = {
  name: 'models',
  address: ({ record }) => [modelOf(record.modelVersion)],
  spawn: () => ({ isKnown: false }),
  receive(state, { seq, at, cause }, emit, model) {
    if (state.isKnown) return;
    state.isKnown = true;
    emit({ stream: 'models', key: model, seq, at, cause, record: { model, publishedAt: at } });
  },
};
