import { Subject } from 'rxjs';
import { type Observation, onCalendar } from '../observation.ts';
import type { EventRecord, Output, OutputOf } from '../records.ts';
import type { CountersChange, OwnersOf } from './messages.ts';
import { signals } from './signals.ts';

/** The signals alone, computed from outputs of the other streams that are known already. */
export interface SignalsRunner {
  /** An output of a stream that the signals depend on; outputs of other streams are ignored. */
  take(output: Output): void;
  /** Returns the signals that the observation changed. All its outputs have to be taken before. */
  observe(observation: Observation): readonly OutputOf<'signals'>[];
}

export function createSignalsRunner(): SignalsRunner {
  const observation$ = new Subject<Observation>();
  const event$ = new Subject<OutputOf<'events'>>();
  const counters$ = new Subject<CountersChange>();
  const price$ = new Subject<OutputOf<'prices'>>();
  const prediction$ = new Subject<OutputOf<'predictions'>>();
  const score$ = new Subject<OutputOf<'scores'>>();
  const events = new Map<number, EventRecord>();
  let changed: OutputOf<'signals'>[] = [];
  // A failure was reported when the outputs were made.
  const onFailure = () => undefined;
  const ownersOf: OwnersOf = (eventId) => {
    const subject = events.get(eventId)?.subject;
    return subject?.type === 'posts' ? [subject.account] : [];
  };
  signals(
    { observation$, event$, counters$, price$, prediction$, score$ },
    new Map(),
    onFailure,
    ownersOf,
  ).subscribe((output) => {
    if (output.stream === 'signals') changed.push(output);
  });
  return {
    take(output) {
      switch (output.stream) {
        case 'events':
          events.set(output.record.eventId, output.record);
          event$.next(output);
          return;
        case 'counters': {
          const event = events.get(output.record.eventId);
          if (event !== undefined) counters$.next({ output, event });
          return;
        }
        case 'prices':
          price$.next(output);
          return;
        case 'predictions':
          prediction$.next(output);
          return;
        case 'scores':
          score$.next(output);
      }
    },
    observe(observation) {
      changed = [];
      observation$.next(onCalendar(observation));
      return changed;
    },
  };
}
