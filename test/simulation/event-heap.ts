/** Something that is to happen at a virtual time. */
export interface Timed {
  /** Virtual ms. */
  readonly at: number;
  /** Of two at the same time, the lower one comes first. */
  readonly order: number;
}

export interface EventHeap<T extends Timed> {
  readonly size: number;
  push(event: T): void;
  first(): T | undefined;
  takeFirst(): T | undefined;
}

function isBefore(a: Timed, b: Timed): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** A binary heap: events come out by time, and by order within a time. */
export function createEventHeap<T extends Timed>(): EventHeap<T> {
  const heap: T[] = [];

  /** Moves what is at `from` towards the top until its parent comes before it. */
  function rise(event: T, from: number): void {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(event, parent)) break;
      heap[place] = parent;
      place = above;
    }
    heap[place] = event;
  }

  /** Puts `event` at the top, and moves it down until both children come after it. */
  function sink(event: T): void {
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      let child = heap[below];
      if (child === undefined) break;
      const other = heap[below + 1];
      if (other !== undefined && isBefore(other, child)) {
        child = other;
        below += 1;
      }
      if (!isBefore(child, event)) break;
      heap[place] = child;
      place = below;
    }
    heap[place] = event;
  }

  return {
    get size() {
      return heap.length;
    },
    push: (event) => rise(event, heap.length),
    first: () => heap[0],
    takeFirst() {
      const first = heap[0];
      const last = heap.pop();
      if (last !== undefined && heap.length > 0) sink(last);
      return first;
    },
  };
}
