import { setFlagsFromString } from 'node:v8';

/** Of bytecode, and runs of a function: what V8 waits for by itself. */
const BUDGET_BEFORE_V8_12 = 67_584;
const RUNS_BEFORE_MAGLEV = 400;
const RUNS_BEFORE_TURBOFAN = 3_000;
/** From V8 12 on: the runs are multiplied by the length of a function's bytecode, and have to stay within 32 bits. */
const MOST_TIMES = 15;

/**
 * From now on a function is optimized only after it has run so many times as often as V8 waits for by itself. Code that is
 * run seldom then stays small: optimized again and again with what each hour brings, it takes ever more memory. From V8 12 on
 * it is 15 times at most.
 */
export function optimizeLater(times: number): void {
  if (Number.parseInt(process.versions.v8, 10) < 12) {
    setFlagsFromString(`--interrupt-budget=${times * BUDGET_BEFORE_V8_12}`);
    return;
  }
  const possible = Math.min(times, MOST_TIMES);
  setFlagsFromString(`--invocation-count-for-maglev=${possible * RUNS_BEFORE_MAGLEV}`);
  setFlagsFromString(`--invocation-count-for-turbofan=${possible * RUNS_BEFORE_TURBOFAN}`);
}
