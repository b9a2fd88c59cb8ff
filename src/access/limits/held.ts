/** How many of something each name holds at present. */
interface Held {
  /** Over all names. */
  readonly total: number;
  of(name: string): number;
  /** Counts one more. Returns a function that takes one off; all that were counted for a name share it. */
  add(name: string): () => void;
  /** Takes one off. */
  remove(name: string): void;
}

interface Holder {
  count: number;
  /** One for all, as there are thousands of connections. */
  readonly removeOne: () => void;
}

export function createHeld(): Held {
  const holders = new Map<string, Holder>();
  let total = 0;

  function remove(name: string): void {
    const holder = holders.get(name);
    if (holder === undefined) return;
    total -= 1;
    holder.count -= 1;
    if (holder.count === 0) holders.delete(name);
  }

  return {
    get total() {
      return total;
    },
    of: (name) => holders.get(name)?.count ?? 0,
    add(name) {
      const holder = holders.get(name) ?? { count: 0, removeOne: () => remove(name) };
      holders.set(name, holder);
      holder.count += 1;
      total += 1;
      return holder.removeOne;
    },
    remove,
  };
}
