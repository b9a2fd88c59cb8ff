import { bootstrapInterval } from '../../../streams/internal.ts';
import { type ScoredRow, windowsOf } from './summary.ts';

/** What was promised, what happened, and how sure that is. */
export interface Reliability {
  readonly promised: number;
  readonly happened: number;
  /** 95 %, by windows; null with one. */
  readonly interval: readonly [low: number, high: number] | null;
  readonly n: number;
}

/** A bin with fewer forecasts says nothing, and is joined with the next. */
const LEAST_IN_BIN = 5;
const BINS = 10;
const LEVELS = [5, 10, 25, 50, 75, 90, 95];

/** How often the likeliest bucket won, by the probability it had. */
export function topReliability(rows: readonly ScoredRow[]): Reliability[] {
  const ascending = rows.toSorted((a, b) => a.scores.topProbability - b.scores.topProbability);
  const binOf = ({ scores }: ScoredRow) => Math.min(BINS - 1, Math.floor(scores.topProbability * BINS));
  const bins = Array.from({ length: BINS }, (_, bin) => ascending.filter((row) => binOf(row) === bin));
  return merged(bins).map((bin) => ({
    ...shareOf(bin, ({ scores }) => scores.isTopHit),
    promised: bin.reduce((sum, { scores }) => sum + scores.topProbability, 0) / bin.length,
  }));
}

/** How many outcomes lay at or below the quantiles. */
export function quantileReliability(rows: readonly ScoredRow[]): Reliability[] {
  if (rows.length < LEAST_IN_BIN) return [];
  return LEVELS.map((level) => ({
    ...shareOf(rows, ({ final, quantiles }) => final <= (quantiles[level - 1] ?? 0)),
    promised: level / 100,
  }));
}

/** Joins each bin that is too small with the next, and the last with the one before. */
export function merged<T>(bins: readonly (readonly T[])[]): T[][] {
  const joined: T[][] = [];
  let open: T[] = [];
  for (const bin of bins) {
    open = [...open, ...bin];
    if (open.length < LEAST_IN_BIN) continue;
    joined.push(open);
    open = [];
  }
  if (open.length > 0) joined.push([...(joined.pop() ?? []), ...open]);
  return joined.filter((bin) => bin.length >= LEAST_IN_BIN);
}

function shareOf(rows: readonly ScoredRow[], isMet: (row: ScoredRow) => boolean) {
  const share = (some: readonly (readonly ScoredRow[])[]) => {
    const all = some.flat();
    return all.filter(isMet).length / all.length;
  };
  const windows = windowsOf(rows);
  return { happened: share(windows), interval: bootstrapInterval(windows, share, 1, 400), n: rows.length };
}
