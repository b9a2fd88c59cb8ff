import { Observable, type OperatorFunction } from 'rxjs';

/** The states of one pipeline's actors by key; null for one that failed. A checkpoint holds these. */
export type ActorStates<S> = Map<string, S | null>;

export interface Behaviour<M, S, O> {
  /** Names the pipeline where a failure is reported. */
  readonly name: string;
  /** Which actors receive the message. `everyone` reaches those alive and spawns none. */
  readonly address: (message: M) => readonly string[] | 'everyone';
  /** The first state of an actor addressed for the first time, or undefined to leave it unborn. */
  readonly spawn: (key: string, message: M) => S | undefined;
  /** Handles one message. The state belongs to this actor alone and is changed in place. */
  readonly receive: (state: S, message: M, emit: (output: O) => void, key: string) => void;
  /** Whether a state is of no more use; its actor is then forgotten. */
  readonly isRetired?: (state: S) => boolean;
}

export interface ActorFailure {
  /** `<pipeline>:<key>`, or the pipeline alone for a message that could not be addressed. */
  readonly actor: string;
  readonly error: unknown;
}

export type OnFailure = (failure: ActorFailure) => void;

/**
 * A scan over many small states, one per actor. An actor that throws is put out of service and reported;
 * what it emitted while handling that message is dropped, and its siblings go on. A message that cannot be
 * addressed is reported and reaches no actor.
 */
export function actors<M, S, O>(
  behaviour: Behaviour<M, S, O>,
  states: ActorStates<S>,
  onFailure: OnFailure,
): OperatorFunction<M, O> {
  const { name, address, spawn, receive, isRetired } = behaviour;

  return (message$) =>
    new Observable((subscriber) => {
      const emitted: O[] = [];
      const emit = (output: O) => void emitted.push(output);

      const handle = (key: string, message: M) => {
        const known = states.get(key);
        if (known === null) return;
        try {
          const state = known ?? spawn(key, message);
          if (state === undefined) return;
          if (known === undefined) states.set(key, state);
          receive(state, message, emit, key);
          if (isRetired?.(state)) states.delete(key);
        } catch (error) {
          emitted.length = 0;
          states.set(key, null);
          onFailure({ actor: `${name}:${key}`, error });
          return;
        }
        if (emitted.length === 0) return;
        // Taken out first: a subscriber may bring the next message before this one is done.
        for (const output of emitted.splice(0)) subscriber.next(output);
      };

      const recipients = (message: M) => {
        try {
          return address(message);
        } catch (error) {
          onFailure({ actor: name, error });
          return [];
        }
      };

      return message$.subscribe({
        next(message) {
          // A source that emits all at once does not notice an unsubscription.
          if (subscriber.closed) return;
          const keys = recipients(message);
          if (keys === 'everyone') for (const key of [...states.keys()]) handle(key, message);
          else for (const key of keys) handle(key, message);
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
    });
}
