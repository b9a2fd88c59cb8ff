import type { Output } from '../../../streams/internal.ts';
import { createMarket } from './market.ts';
import type { Strategy } from './strategy.ts';
import { createTrader, type Terms, type Trading } from './trader.ts';

export interface NamedTrading extends Trading {
  readonly name: string;
}

/** Several strategies over the same records, each with an account of its own. */
interface TradingRun {
  /** Shows a record to all. Records have to come in the order in which they were received. */
  show(time: number, output: Output, isAsked?: boolean): void;
  finish(): readonly NamedTrading[];
}

/**
 * A strategy sees a record when it is its turn, and none that comes later. Its order meets the book as of `latencyMs`
 * after that record: with all that was received by then and nothing of what came after. A record that is only shown
 * (`isAsked` false) is known to the market, and no strategy is asked.
 */
export function createTrading(strategies: readonly Strategy[], terms: Terms): TradingRun {
  const market = createMarket();
  const traders = strategies.map((strategy) => createTrader(strategy, terms, market));
  let last = Number.NEGATIVE_INFINITY;
  return {
    show(time, output, isAsked = true) {
      if (time < last) throw new RangeError(`a record of ${time} came after one of ${last}`);
      last = time;
      for (const trader of traders) trader.advance(time);
      const settled = market.apply(time, output);
      for (const trader of traders) trader.handle(time, output, settled, isAsked);
    },
    finish: () => traders.map((trader) => ({ name: trader.name, ...trader.finish(last) })),
  };
}
