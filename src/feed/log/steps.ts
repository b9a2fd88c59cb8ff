/** Work in steps, between which requests are answered. */
interface Steps {
  /** Begins a piece of work, or else what waits. While a piece is under way it does nothing: what waits comes after that. */
  begin(work?: Generator<void>): void;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

/** A piece of work pauses where it yields. One that does not is done at once. `next` gives what waits, if anything does. */
export function createSteps(
  next: () => Generator<void> | undefined,
  report: (error: unknown) => void,
): Steps {
  let work: Generator<void> | undefined;
  let onSettled: (() => void)[] = [];

  function goOn(): void {
    while (work !== undefined) {
      try {
        if (work.next().done !== true) {
          setImmediate(goOn);
          return;
        }
      } catch (error) {
        report(error);
      }
      work = next();
    }
    for (const tell of onSettled) tell();
    onSettled = [];
  }

  return {
    begin(first) {
      if (work !== undefined) return;
      work = first ?? next();
      goOn();
    },
    settled: () =>
      work === undefined ? Promise.resolve() : new Promise((resolve) => onSettled.push(resolve)),
  };
}
