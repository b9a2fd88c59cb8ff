/** What a computation in steps gives, and in how many steps. */
export function inSteps<Result>(work: Generator<void, Result>): {
  readonly result: Result;
  readonly steps: number;
} {
  for (let steps = 1; ; steps++) {
    const { done, value } = work.next();
    if (done === true) return { result: value, steps };
  }
}
