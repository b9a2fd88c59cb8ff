import { Observable, type OperatorFunction } from 'rxjs';

/** The states of one pipeline's actors by key; null for one that failed. A checkpoint holds these. */
export type ActorStates<S> = Map<string, S | null>;

export interface Behaviour<M, S, O> {
  /** The name of the pipeline in reports of failures. */
  readonly name: string;
  /** The keys of the actors that receive the message. `everyone` reaches all existing actors and spawns none. */
  readonly address: (message: M) => readonly string[] | 'everyone';
  /** The first state of an actor, or undefined when this message does not create one. */
  readonly spawn: (key: string, message: M) => S | undefined;
  /** Handles one message. The state belongs to this actor alone and is changed in place. */
  readonly receive: (state: S, message: M, emit: (output: O) => void, key: string) => void;
  /** Whether an actor with this state is no longer needed; it is then removed. */
  readonly isRetired?: (state: S) => boolean;
}

export interface ActorFailure {
  /** `<pipeline>:<key>`, or only the pipeline when `address` failed. */
  readonly actor: string;
  readonly error: unknown;
}

export type OnFailure = (failure: ActorFailure) => void;

/**
 * A scan over many small states, one per actor. An actor that throws is disabled and reported, its outputs for that
 * message are dropped, and the other actors continue. When `address` throws, the failure is reported and no actor
 * receives the message.
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
        // Emptied first: a subscriber may send the next message while these outputs are being emitted.
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
          // A synchronous source keeps emitting after an unsubscription.
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
