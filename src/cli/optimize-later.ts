import { setFlagsFromString } from 'node:v8';

/** Of bytecode, and runs of a function: what V8 waits for by itself. */
const BUDGET_BEFORE_V8_12 = 67_584;
const RUNS_BEFORE_MAGLEV = 400;
const RUNS_BEFORE_TURBOFAN = 3_000;

/**
 * From now on a function is optimized only after it has run so many times as often as V8 waits for by itself. Code that is
 * run seldom then stays small: optimized again and again with what each hour brings, it takes ever more memory. V8 12 and later
 * multiply the runs by the length of a function's bytecode in 32 bits, so that `times` cannot be much more than 15 there.
 */
export function optimizeLater(times: number): void {
  if (Number.parseInt(process.versions.v8, 10) < 12) {
    setFlagsFromString(`--interrupt-budget=${times * BUDGET_BEFORE_V8_12}`);
    return;
  }
  setFlagsFromString(`--invocation-count-for-maglev=${times * RUNS_BEFORE_MAGLEV}`);
  setFlagsFromString(`--invocation-count-for-turbofan=${times * RUNS_BEFORE_TURBOFAN}`);
}
