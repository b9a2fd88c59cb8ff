import {
  type EventSignals,
  type SizedSignal,
  sizedSignals,
  USUAL_BETTOR,
} from '../../../streams/internal.ts';
import { cents } from './money.ts';
import type { Valuation } from './valuation.ts';

type Adjustment = 'ADD_MORE' | 'TRIM';

/** The target value of a holding for a bankroll, and the adjustment to reach it, in USD. */
export interface Sizing {
  /** The share of the bankroll, as in the signals. */
  readonly fraction: number;
  /** Null inside the no-trade band, where neither buying nor selling is worth its costs. */
  readonly target: number | null;
  /** What to trade: never negative, and never more than the book holds at the limit price. */
  readonly adjustment: number;
  /** HOLD when the adjustment is below the threshold. */
  readonly action: Adjustment | 'HOLD';
  /** The best price of the side to trade with; null when there is nothing to trade. */
  readonly limitPrice: number | null;
  readonly signal: SizedSignal;
}

/** A smaller trade is not worth its spread. */
const DEFAULT_THRESHOLD_USD = 5;

/**
 * What the signals of an event mean for each holding, in their order; null where they skip the bucket, and before the
 * first signals.
 */
export function sized(
  rows: readonly Valuation[],
  signals: EventSignals | undefined,
  bankrollUsd: number,
  threshold: number = DEFAULT_THRESHOLD_USD,
): readonly (Sizing | null)[] {
  if (signals === undefined) return rows.map(() => null);
  const decided = sizedSignals(signals, { ...USUAL_BETTOR, bankrollUsd }).signals;
  const byToken = new Map(decided.map((signal) => [signal.token, signal]));
  return rows.map((row) => {
    const signal = byToken.get(row.bucket.yesToken);
    if (signal === undefined || signal.action === 'SKIP' || row.edge === null) return null;
    const size = row.side === 'Yes' ? sizeOfYes(row, signal) : sizeOfNo(row, signal);
    const isWorthIt = size.adjustment >= threshold;
    return { ...size, signal, ...(isWorthIt ? {} : { action: 'HOLD', limitPrice: null }) };
  });
}

type Wanted = Omit<Sizing, 'signal'>;

const LEAVE: Wanted = { fraction: 0, target: null, adjustment: 0, action: 'HOLD', limitPrice: null };

function sizeOfYes(row: Valuation, signal: SizedSignal): Wanted {
  const { action, fraction, betUsd: target, limitPrice, cuts, bid, bidSize } = signal;
  if (action === 'SELL') return { ...LEAVE, target: 0, ...trim(row, 0, bid, bidSize) };
  if (action !== 'BUY') return LEAVE;
  if (target >= row.value) {
    return { fraction, target, adjustment: cents(target - row.value), action: 'ADD_MORE', limitPrice };
  }
  // A thin book limits what can be bought now, not what should be held.
  const isThin = cuts.some(({ by }) => by === 'depth');
  return { ...LEAVE, fraction, target, ...(isThin ? {} : trim(row, target, bid, bidSize)) };
}

/** No is bought where the signals offer it, and sold where they buy Yes at a price at which No is too dear. */
function sizeOfNo(row: Valuation, { action, no, ask, askSize }: SizedSignal): Wanted {
  if (no !== null) {
    const { fraction, betUsd: target, limitPrice } = no;
    const missing = cents(target - row.value);
    if (missing <= 0) return { ...LEAVE, fraction, target };
    return { fraction, target, adjustment: missing, action: 'ADD_MORE', limitPrice };
  }
  if (action !== 'BUY') return LEAVE;
  return { ...LEAVE, target: 0, ...trim(row, 0, ask === null ? null : 1 - ask, askSize) };
}

/** Sells down to the target, or as many shares as are bid for. */
function trim(
  { value, price }: Valuation,
  target: number,
  bid: number | null,
  shares: number | null,
): Pick<Wanted, 'adjustment' | 'action' | 'limitPrice'> {
  const most = shares === null ? value : Math.floor(100 * shares * price) / 100;
  const adjustment = bid === null ? 0 : Math.min(cents(value - target), most);
  return { adjustment, action: 'TRIM', limitPrice: bid };
}
