import type { Observable } from 'rxjs';
import type { AccountId, Observation, PostFact } from '../observation.ts';
import type { Tagged } from '../operators/tagged.ts';
import type { EventRecord, OutputOf, Post, Trigger } from '../records.ts';

/** A post, how it was first found, and the same post before this observation. */
export interface PostChange {
  readonly output: OutputOf<'posts'>;
  readonly via: PostFact['via'];
  readonly previous: Post | undefined;
}

export interface CountersChange {
  readonly output: OutputOf<'counters'>;
  readonly event: EventRecord;
}

/** The outcome of an event. `final` is the count that settled it, and may still be corrected. */
export interface Outcome {
  readonly eventId: number;
  readonly endAt: number;
  /** The id of the window that was settled. */
  readonly window: string;
  readonly final: number;
  /** Our own final count; null where it is not known, or decided because the oracle has no total. */
  readonly own: number | null;
  readonly wonLo: number | null;
}

interface OutcomeChange extends Trigger {
  readonly account: AccountId;
  readonly outcome: Outcome;
}

interface Messages {
  readonly observation: Observation;
  readonly post: PostChange;
  readonly event: OutputOf<'events'>;
  readonly counters: CountersChange;
  readonly price: OutputOf<'prices'>;
  readonly lag: OutputOf<'lag'>;
  readonly prediction: OutputOf<'predictions'>;
  readonly request: OutputOf<'requests'>;
  readonly outcome: OutcomeChange;
  readonly score: OutputOf<'scores'>;
}

/** A message of one of these types. */
export type Message<Type extends keyof Messages> = { [T in Type]: Tagged<T, Messages[T]> }[Type];

/** The streams that a pipeline reads, by name: `post$` for `post`. */
export type Inputs<Type extends keyof Messages> = {
  readonly [T in Type as `${T}$`]: Observable<Messages[T]>;
};

/**
 * The accounts that an event belongs to: one, or none for an event about something else. A price and a page's count name
 * their event alone.
 */
export type OwnersOf = (eventId: number) => readonly AccountId[];

/** The accounts that receive a message that names its account or an event of it. */
export function accountsOf({
  type,
  value,
}: Message<Exclude<keyof Messages, 'observation' | 'price'>>): readonly AccountId[] {
  switch (type) {
    case 'post':
    case 'counters':
      return [value.output.record.account];
    case 'event': {
      const { subject } = value.record;
      return subject.type === 'posts' ? [subject.account] : [];
    }
    case 'outcome':
      return [value.account];
    default:
      return [value.record.account];
  }
}
