import { createEventHeap } from './event-heap.ts';

/** Taken before a simulation replaces the global one. */
const nextRealTurn = setImmediate;

/** Who an event belongs to: the world, a reader, one life of the engine. */
export interface Owner {
  readonly name: string;
}

/** An event that may still be cancelled. */
export interface Scheduled {
  cancel(): void;
}

export interface Kernel {
  /** Virtual ms since the simulation began. */
  now(): number;
  /** Of the event that is run. What it schedules belongs to them too. */
  readonly owner: Owner;
  /** How many events were run. */
  readonly events: number;
  /** How many events wait, those of the dead included. */
  readonly waiting: number;
  /** Runs `act` after `delayMs`, and after everything that was scheduled for the same time before. */
  schedule(delayMs: number, act: () => void, owner?: Owner): Scheduled;
  /** Calls `act` as if an event of `owner` did. */
  as<T>(owner: Owner, act: () => T): T;
  /** From now on no event of `owner` is run. To be called between events, or by an event of somebody else. */
  kill(owner: Owner): void;
  isDead(owner: Owner): boolean;
  /** For `ms` no event of `owner` is run; what is due meanwhile follows at the end, in its order. */
  freeze(owner: Owner, ms: number): void;
  /**
   * Lets `ms` pass: runs what is due, one event at a time, each with all microtasks that follow from it. `before` is called
   * before each event. Rejects with what an event throws.
   */
  run(ms: number, before?: () => void): Promise<void>;
}

interface Event {
  at: number;
  order: number;
  readonly owner: Owner;
  /** Undefined once it is cancelled or was run. */
  act: (() => void) | undefined;
}

/** Node runs all microtasks and ticks between two turns, and looks at real files and sockets only after all of them. */
const TURNS_AT_ONCE = 50;

/** Owns what is scheduled outside of all events. */
const NOBODY: Owner = { name: 'nobody' };

/**
 * Virtual time for one thread. Promises, microtasks and `nextTick` come in the same order in every run as long as nothing
 * but events wakes anybody up.
 */
export function createKernel(): Kernel {
  const heap = createEventHeap<Event>();
  const dead = new WeakSet<Owner>();
  const frozenUntil = new WeakMap<Owner, number>();
  let now = 0;
  let order = 0;
  let events = 0;
  let owner = NOBODY;

  /** The next event up to `end` that is not cancelled and whose owner lives. */
  function takeDue(end: number): Event | undefined {
    for (;;) {
      const first = heap.first();
      if (first === undefined || first.at > end) return undefined;
      heap.takeFirst();
      if (first.act === undefined || dead.has(first.owner)) continue;
      const until = frozenUntil.get(first.owner) ?? 0;
      if (until <= first.at) return first;
      // Taken out in their order, so those that wait for the same instant come as they would have.
      first.at = until;
      first.order = order++;
      heap.push(first);
    }
  }

  function step(end: number, before: () => void): boolean {
    before();
    const event = takeDue(end);
    if (event === undefined) return false;
    const { act } = event;
    event.act = undefined;
    now = event.at;
    owner = event.owner;
    events += 1;
    act?.();
    return true;
  }

  return {
    now: () => now,
    get owner() {
      return owner;
    },
    get events() {
      return events;
    },
    get waiting() {
      return heap.size;
    },
    schedule(delayMs, act, whose = owner) {
      const event: Event = { at: now + Math.max(0, delayMs), order: order++, owner: whose, act };
      heap.push(event);
      return {
        cancel() {
          event.act = undefined;
        },
      };
    },
    as(whose, act) {
      const before = owner;
      owner = whose;
      try {
        return act();
      } finally {
        owner = before;
      }
    },
    kill: (whose) => void dead.add(whose),
    isDead: (whose) => dead.has(whose),
    freeze: (whose, ms) => void frozenUntil.set(whose, now + ms),
    run(ms, before = () => undefined) {
      const end = now + ms;
      return new Promise((resolve, reject) => {
        let left = 0;
        let isOver = false;
        const takeTurns = () => {
          left = TURNS_AT_ONCE;
          for (let turn = 0; turn < TURNS_AT_ONCE; turn++) nextRealTurn(next);
        };
        const next = () => {
          left -= 1;
          if (isOver) return;
          try {
            if (step(end, before)) {
              if (left === 0) takeTurns();
              return;
            }
          } catch (error) {
            isOver = true;
            reject(error);
            return;
          }
          isOver = true;
          now = end;
          owner = NOBODY;
          resolve();
        };
        // What the caller has begun comes first.
        takeTurns();
      });
    },
  };
}
