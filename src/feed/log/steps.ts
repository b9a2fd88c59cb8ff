import { afterRequests } from '../../resilience/loop-yield.ts';

/** Work in steps, between which requests are answered. */
interface Steps {
  /**
   * Begins a piece of work, or else what waits. While a piece is under way it begins nothing: what waits comes after that, or
   * within it if it looks for that, for which it is woken from a rest.
   */
  begin(work?: Generator<unknown>): void;
  /** Resolves when nothing is under way. From the call on there are no rests. */
  settled(): Promise<void>;
}

/** What a piece of work yields that nobody waits for: others have the loop to themselves for a while. */
export const REST = 'rest';
const REST_MS = 8;

/** A piece of work pauses where it yields. One that does not is done at once. `next` gives what waits, if anything does. */
export function createSteps(
  next: () => Generator<unknown> | undefined,
  report: (error: unknown) => void,
): Steps {
  let work: Generator<unknown> | undefined;
  let rest: NodeJS.Timeout | undefined;
  let onSettled: (() => void)[] = [];

  function pause(isRest: boolean): void {
    if (isRest && onSettled.length === 0) rest = setTimeout(wake, REST_MS);
    else afterRequests(goOn);
  }

  function wake(): void {
    clearTimeout(rest);
    rest = undefined;
    goOn();
  }

  function goOn(): void {
    while (work !== undefined) {
      try {
        const { done, value } = work.next();
        if (done !== true) {
          pause(value === REST);
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
      if (rest !== undefined) wake();
      if (work !== undefined) return;
      work = first ?? next();
      goOn();
    },
    settled: () =>
      work === undefined ? Promise.resolve() : new Promise((resolve) => onSettled.push(resolve)),
  };
}
