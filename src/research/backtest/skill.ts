import { bootstrapInterval } from '../../../streams/internal.ts';
import { type ScoredRow, windowsOf } from './summary.ts';

type Interval = readonly [low: number, high: number] | null;

/** CRPS divided by the pace's, less 1, over some windows: below 0 the forecast is better. */
interface Skill {
  readonly windows: number;
  readonly gain: number;
  readonly interval: Interval;
  /** The share of outcomes inside p5 to p95. */
  readonly coverage: number;
}

interface RollingSkill extends Skill {
  /** The end of the last window. */
  readonly at: number;
}

interface RegimeSkill extends Skill {
  readonly name: string;
}

/** Windows that a point of the rolling skill looks back on. */
export const ROLLING_WINDOWS = 26;
/** A window that differs from the one before by this factor jumps. */
const JUMP = 1.5;

/** The skill of the last windows before each end, from when there are enough of them. */
export function rollingSkill(rows: readonly ScoredRow[]): RollingSkill[] {
  const windows = windowsOf(rows).sort((a, b) => endOf(a) - endOf(b));
  return windows.flatMap((window, index) => {
    const some = windows.slice(index + 1 - ROLLING_WINDOWS, index + 1);
    return some.length < ROLLING_WINDOWS ? [] : [{ at: endOf(window), ...skillOf(some) }];
  });
}

/** The skill in windows that jumped up or down against the last one that was over when they opened, and in the others. */
export function skillByRegime(rows: readonly ScoredRow[]): RegimeSkill[] {
  const windows = windowsOf(rows).sort((a, b) => endOf(a) - endOf(b));
  const regimes = new Map<string, ScoredRow[][]>([
    ['jumped up', []],
    ['steady', []],
    ['jumped down', []],
  ]);
  for (const window of windows) {
    const before = windows.findLast((other) => endOf(other) <= startOf(window));
    if (before === undefined) continue;
    const ratio = (rateOf(window) + 1e-9) / (rateOf(before) + 1e-9);
    const name = ratio > JUMP ? 'jumped up' : ratio < 1 / JUMP ? 'jumped down' : 'steady';
    regimes.get(name)?.push(window);
  }
  return [...regimes].flatMap(([name, some]) => (some.length === 0 ? [] : [{ name, ...skillOf(some) }]));
}

const startOf = ([first]: readonly ScoredRow[]) => first?.startAt ?? 0;
const endOf = ([first]: readonly ScoredRow[]) => first?.endAt ?? 0;
/** Posts per ms, as windows may differ in length. */
const rateOf = ([first]: readonly ScoredRow[]) =>
  first === undefined ? 0 : first.final / (first.endAt - first.startAt);

function skillOf(windows: readonly (readonly ScoredRow[])[]): Skill {
  const gain = (some: readonly (readonly ScoredRow[])[]) => {
    let model = 0;
    let pace = 0;
    for (const { scores } of some.flat()) {
      model += scores.crps;
      pace += scores.crpsPace;
    }
    return pace === 0 ? 0 : model / pace - 1;
  };
  const all = windows.flat();
  return {
    windows: windows.length,
    gain: gain(windows),
    interval: bootstrapInterval(windows, gain, 1, 200),
    coverage: all.filter(({ final, p5, p95 }) => final >= p5 && final <= p95).length / all.length,
  };
}
