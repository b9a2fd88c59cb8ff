import { type TakerFee, takerFee } from '../../../streams/internal.ts';
import type { Store } from '../../store/store.ts';
import { MAX_PRICE_AGE_MS } from '../backtest/market-prices.ts';
import { BUY_FAVOURITE, FOLLOW_SIGNALS, HOLD_CASH, SELL_FAVOURITE } from '../pnl/built-in-strategies.ts';
import type { Strategy } from '../pnl/strategy.ts';
import type { Fill } from '../pnl/trader.ts';
import { createTrading } from '../pnl/trading.ts';
import { type TradingSummary, tradingSummary } from '../pnl/trading-summary.ts';
import { collectSamples, type ScoredSample } from './forecast-samples.ts';
import { type ReadLog, readOutputs } from './recorded-outputs.ts';
import { type RecordedScores, recordedScores } from './recorded-scores.ts';

interface RecordedOptions {
  /** Forecasts are scored and orders placed from `fromAt` until before `toAt`. UTC ms. */
  readonly fromAt?: number | undefined;
  readonly toAt?: number | undefined;
  /** Beside those of the program. */
  readonly strategy?: Strategy | undefined;
  readonly bankrollUsd: number;
  readonly latencyMs: number;
  readonly onProgress: (seq: number, head: number) => void;
  readonly signal: AbortSignal;
}

export interface RecordedResult {
  readonly log: ReadLog;
  readonly samples: readonly ScoredSample[];
  readonly scores: RecordedScores;
  /** The strategy in question first, then those that it is compared with. */
  readonly trading: readonly TradingSummary[];
  readonly fills: readonly (Fill & { readonly strategy: string })[];
}

/** Scores the forecasts that an engine published, and trades on what it recorded. */
export async function recordedBacktest(store: Store, options: RecordedOptions): Promise<RecordedResult> {
  const { fromAt = Number.NEGATIVE_INFINITY, toAt, bankrollUsd, latencyMs, onProgress, signal } = options;
  const own = options.strategy === undefined ? [] : [options.strategy];
  const strategies = [...own, FOLLOW_SIGNALS, BUY_FAVOURITE, SELL_FAVOURITE, HOLD_CASH];
  const feeOf = (price: number, _token: string, stated: TakerFee | undefined) => takerFee(price, stated);
  const run = createTrading(strategies, { bankrollUsd, latencyMs, feeOf, maxBookAgeMs: MAX_PRICE_AGE_MS });
  const collected = collectSamples();
  const log = await readOutputs(store, {
    ...{ toAt, onProgress, signal },
    onOutput(time, output) {
      run.show(time, output, time >= fromAt);
      collected.show(time, output, time >= fromAt);
    },
  });
  const { all, scored } = collected.finish();
  const results = run.finish();
  return {
    log,
    samples: scored,
    scores: recordedScores(all, scored),
    trading: results.map((result) => tradingSummary(result, bankrollUsd)),
    fills: results.flatMap(({ name, fills }) => fills.map((fill) => ({ strategy: name, ...fill }))),
  };
}
