import { ALERT_FIGURES, type AlertFigureName } from '../../contract/alert-figures.ts';
import type { PageAlert } from './page-alert.ts';
import type { AccountState, Counters, Lag, Prediction, State } from './records.ts';
import { staleInputs } from './staleness.ts';

/** A figure of an account, of an event of it, or of a bucket of an event. */
export interface AlertValue {
  readonly event: number | null;
  /** The title of the event. */
  readonly title: string | null;
  readonly bucket: string | null;
  /** Null while it is unknown, as without a key what needs one. */
  readonly value: number | null;
  /** Of the record that has it. */
  readonly seq: number;
}

type Watched = Pick<State, 'accounts' | 'status'>;

interface Known {
  readonly records: AccountState;
  readonly counters: Counters | undefined;
  readonly stale: readonly string[];
  readonly prediction: Prediction | undefined;
  readonly market: Prediction['markets'][number] | undefined;
}

/** What an alert watches, as the page knows it. */
export function alertValues(
  { account, event, bucket, when: { figure } }: Omit<PageAlert, 'id'>,
  { accounts, status }: Watched,
): readonly AlertValue[] {
  const records = accounts.get(account);
  if (records === undefined) return [];
  const { of } = ALERT_FIGURES[figure];
  if (of === 'account') {
    const known = { records, counters: undefined, stale: [], prediction: undefined, market: undefined };
    const { as_of } = (figure.startsWith('velocity') ? records.velocity : records.lag) ?? {};
    return [{ event: null, title: null, bucket: null, value: read(figure, known), seq: as_of?.seq ?? 0 }];
  }
  const events = (records.counters ?? []).filter(({ event_id }) => event === null || event_id === event);
  return events.flatMap((counters): readonly AlertValue[] => {
    const { event_id, event_title: title } = counters;
    const prediction = records.predictions?.find((each) => each.event_id === event_id);
    const stale = staleInputs(counters, status, account);
    const known = { records, counters, stale, prediction };
    if (of === 'event') {
      const { as_of } = (isForecast(figure) ? prediction : undefined) ?? counters;
      const value = read(figure, { ...known, market: undefined });
      return [{ event: event_id, title, bucket: null, value, seq: as_of.seq }];
    }
    return (prediction?.markets ?? [])
      .filter((market) => bucket === null || market.title === bucket)
      .map((market) => ({
        event: event_id,
        title,
        bucket: market.title,
        value: read(figure, { ...known, market }),
        seq: prediction?.as_of.seq ?? 0,
      }));
  });
}

function isForecast(figure: AlertFigureName): boolean {
  return ['p5', 'p50', 'p95', 'sleep_probability', 'flip_risk'].includes(figure);
}

const LAGS = {
  seen_p50_ms: ['seen', 'p50_ms'],
  seen_p90_ms: ['seen', 'p90_ms'],
  seen_p99_ms: ['seen', 'p99_ms'],
  oracle_p50_ms: ['oracle', 'p50_ms'],
  oracle_p90_ms: ['oracle', 'p90_ms'],
  oracle_p99_ms: ['oracle', 'p99_ms'],
  ui_p50_ms: ['ui', 'p50_ms'],
  ui_p90_ms: ['ui', 'p90_ms'],
  ui_p99_ms: ['ui', 'p99_ms'],
} as const satisfies Readonly<
  Record<string, readonly ['seen' | 'oracle' | 'ui', Exclude<keyof Lag['seen'], 'n'>]>
>;

/** Figures are named as in the records that have them. */
function read(figure: AlertFigureName, known: Known): number | null {
  const { records, counters, stale, prediction, market } = known;
  switch (figure) {
    case 'market_oracle_counter':
    case 'real_counter':
    case 'market_ui_counter':
    case 'settlement_delta':
    case 'display_delta':
    case 'internal_delta':
    case 'deleted_count':
    case 'history_percent':
      return counters?.[figure] ?? null;
    case 'stale_inputs':
      return stale.length;
    case 'stale_posts':
    case 'stale_oracle':
    case 'stale_ui':
    case 'stale_prices':
      return stale.includes(figure.replace('stale_', '')) ? 1 : 0;
    case 'p5':
    case 'p50':
    case 'p95':
      return prediction?.forecast?.[figure] ?? null;
    case 'sleep_probability':
    case 'flip_risk':
      return prediction?.[figure] ?? null;
    case 'model_prob':
    case 'market_price':
    case 'best_bid':
    case 'best_ask':
    case 'edge':
      return market?.[figure] ?? null;
    case 'velocity_counted_1h':
    case 'velocity_all_1h':
      return records.velocity?.[figure] ?? null;
    default: {
      const [who, level] = LAGS[figure];
      return records.lag?.[who][level] ?? null;
    }
  }
}
