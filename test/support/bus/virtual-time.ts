/** Time that passes only when a test lets it. */
export interface VirtualTime {
  mono(): number;
  /** Runs something later; returns how to call it off. */
  after(ms: number, run: () => void): () => void;
  /** Lets `ms` pass: runs what falls due in order, each time until no promise moves any more. */
  advance(ms: number): Promise<void>;
}

interface Timer {
  readonly dueAt: number;
  readonly order: number;
  readonly run: () => void;
}

const isSooner = (a: Timer, b: Timer): boolean =>
  a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order);

// An immediate comes after every promise that can settle by itself has done so.
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

export function createVirtualTime(): VirtualTime {
  const timers = new Set<Timer>();
  let now = 0;
  let order = 0;

  const soonest = (): Timer | undefined => {
    let found: Timer | undefined;
    for (const timer of timers) if (found === undefined || isSooner(timer, found)) found = timer;
    return found;
  };

  return {
    mono: () => now,
    after(ms, run) {
      const timer = { dueAt: now + Math.max(0, ms), order: order++, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      const until = now + ms;
      await settle();
      for (let timer = soonest(); timer !== undefined && timer.dueAt <= until; timer = soonest()) {
        timers.delete(timer);
        now = timer.dueAt;
        timer.run();
        await settle();
      }
      now = until;
    },
  };
}
