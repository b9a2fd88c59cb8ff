/** Lets each owner do a few things at a time, so that slow receivers of one do not take everything. */
interface OwnerTurns {
  /** Resolves when it is the owner's turn, to a function that ends it. */
  begin(owner: string): Promise<() => void>;
}

export function createOwnerTurns(atATime: number): OwnerTurns {
  const busy = new Map<string, { running: number; readonly waiting: (() => void)[] }>();

  function end(owner: string): void {
    const turns = busy.get(owner);
    if (turns === undefined) return;
    const next = turns.waiting.shift();
    if (next !== undefined) next();
    else if (--turns.running === 0) busy.delete(owner);
  }

  return {
    async begin(owner) {
      const turns = busy.get(owner) ?? { running: 0, waiting: [] };
      busy.set(owner, turns);
      if (turns.running < atATime) turns.running += 1;
      else await new Promise<void>((resolve) => turns.waiting.push(resolve));
      let isOver = false;
      return () => {
        if (!isOver) end(owner);
        isOver = true;
      };
    },
  };
}
