import { HOUR_MS, MINUTE_MS } from '../time-spans.ts';

/** One bucket at one instant. */
interface HistoryPoint {
  readonly ts: number;
  readonly markets: readonly {
    readonly market_price: number | null;
    readonly best_bid: number | null;
    readonly best_ask: number | null;
    readonly model_prob?: number | null | undefined;
  }[];
}

/** Seconds, market, model, bid and ask; shares in percent. */
type HistoryColumns = [number[], ...(number | null)[][]];

const STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120].map((minutes) => minutes * MINUTE_MS);
const LONGEST_STEP_MS = 4 * HOUR_MS;
/** A chart has about as many points as it is wide in px. */
const MOST_POINTS = 700;

/** The shortest step with which a span is not too many points, in seconds. */
export function stepFor(spanMs: number): number {
  const step = STEPS_MS.find((each) => spanMs / each <= MOST_POINTS) ?? LONGEST_STEP_MS;
  return step / 1_000;
}

/** The columns of the chart. A line is not drawn across a time without records. */
export function historyColumns(points: readonly HistoryPoint[], stepSeconds: number): HistoryColumns {
  const rows: (readonly (number | null)[])[] = [];
  let last: number | undefined;
  for (const { ts, markets } of points) {
    const at = ts / 1_000;
    if (last !== undefined && at - last > 3 * stepSeconds)
      rows.push([last + stepSeconds, null, null, null, null]);
    const [market] = markets;
    const shares = [market?.market_price, market?.model_prob, market?.best_bid, market?.best_ask];
    rows.push([at, ...shares.map(percentOf)]);
    last = at;
  }
  const columnOf = (index: number) => rows.map((row) => row[index] ?? null);
  return [rows.map(([at]) => at ?? 0), columnOf(1), columnOf(2), columnOf(3), columnOf(4)];
}

function percentOf(share: number | null | undefined): number | null {
  return share === null || share === undefined ? null : share * 100;
}
