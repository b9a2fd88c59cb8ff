/** Things with a time at which something is to be done about them. Times are added in ascending order. */
interface Agenda<T> {
  /** A thing that is there already gets the new time. */
  add(thing: T, at: number): void;
  delete(thing: T): void;
  has(thing: T): boolean;
  all(): readonly T[];
  /** Takes out those whose time has come. */
  takeDue(now: number): readonly T[];
  nextAt(): number;
  readonly size: number;
}

export function createAgenda<T>(): Agenda<T> {
  // In the order of their times.
  const times = new Map<T, number>();

  return {
    add(thing, at) {
      times.delete(thing);
      times.set(thing, at);
    },
    delete: (thing) => times.delete(thing),
    has: (thing) => times.has(thing),
    all: () => [...times.keys()],
    takeDue(now) {
      const due: T[] = [];
      for (const [thing, at] of times) {
        if (at > now) break;
        due.push(thing);
        times.delete(thing);
      }
      return due;
    },
    nextAt() {
      for (const at of times.values()) return at;
      return Number.POSITIVE_INFINITY;
    },
    get size() {
      return times.size;
    },
  };
}
