import type { Observable } from 'rxjs';
import type { AccountId, Observation, PostFact } from '../observation.ts';
import type { Tagged } from '../operators/tagged.ts';
import type { EventRecord, OutputOf, Post, Trigger } from '../records.ts';

/** What one pipeline hands to another. */

/** A post as it is now, how it was first found, and what it was before this observation. */
export interface PostChange {
  readonly output: OutputOf<'posts'>;
  readonly via: PostFact['via'];
  readonly previous: Post | undefined;
}

/** Counters with the event that they belong to. */
export interface CountersChange {
  readonly output: OutputOf<'counters'>;
  readonly event: EventRecord;
}

/** How an event ended, as far as is known: `final` may still be corrected. */
export interface Outcome {
  readonly eventId: number;
  readonly endAt: number;
  readonly final: number;
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

/** One of several kinds of message, told apart by `type`. */
export type Message<Type extends keyof Messages> = { [T in Type]: Tagged<T, Messages[T]> }[Type];

/** The streams a pipeline takes, by name: `post$` for `post`. */
export type Inputs<Type extends keyof Messages> = {
  readonly [T in Type as `${T}$`]: Observable<Messages[T]>;
};

/** The accounts that a message concerns. The account of a price is known to those who know its event. */
export function accountsOf({
  type,
  value,
}: Message<Exclude<keyof Messages, 'observation'>>): readonly AccountId[] | 'everyone' {
  switch (type) {
    case 'post':
    case 'counters':
      return [value.output.record.account];
    case 'event': {
      const { subject } = value.record;
      return subject.type === 'posts' ? [subject.account] : [];
    }
    case 'price':
      return 'everyone';
    case 'outcome':
      return [value.account];
    default:
      return [value.record.account];
  }
}
