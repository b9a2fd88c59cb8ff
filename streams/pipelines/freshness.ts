import { filter, map, type Observable } from 'rxjs';
import type { Observation, TickFact } from '../observation.ts';
import type { OutputOf } from '../records.ts';
import type { Inputs } from './messages.ts';

/** The age of every source, at each tick. */
export function freshness({ observation$ }: Inputs<'observation'>): Observable<OutputOf<'freshness'>> {
  return observation$.pipe(
    filter(
      (observation): observation is Observation & { readonly fact: TickFact } =>
        observation.fact.kind === 'tick',
    ),
    map(({ seq, receivedAt: at, fact }) => ({
      stream: 'freshness' as const,
      key: 'all',
      seq,
      at,
      cause: 'clock' as const,
      record: { ages: fact.ages },
    })),
  );
}
