import { type OutputOf, sizedSignals } from '../../../streams/internal.ts';
import type { Market } from './market.ts';
import type { Order } from './order.ts';
import type { Strategy, View } from './strategy.ts';

/** What a bet on or against the favourite stakes, as a share of the equity. */
const FAVOURITE_STAKE = 0.02;
/** A bet is not raised by less. */
const LEAST_USD = 1;

/**
 * Does what the signals say: buys and sells, with the stakes that they give for the equity of the moment. Whoever holds the
 * other side of a bucket sells that first.
 */
export const FOLLOW_SIGNALS: Strategy = {
  name: 'signals',
  decide: (output, view) => (output.stream === 'signals' ? followed(output, view) : []),
};

function followed({ record }: OutputOf<'signals'>, view: View): readonly Order[] {
  const { equityUsd, holdings, pending } = view.portfolio();
  if (!(equityUsd > 0)) return [];
  const held = new Map(holdings.map(({ token, costUsd }) => [token, costUsd]));
  const raised = (token: string, betUsd: number, order: Omit<Order, 'token' | 'side' | 'usd'>): Order[] => {
    const usd = betUsd - (held.get(token) ?? 0);
    return usd < LEAST_USD || pending.includes(token) ? [] : [{ token, side: 'BUY', usd, ...order }];
  };
  const sold = (token: string, limit: number): Order[] =>
    pending.includes(token) ? [] : [{ token, side: 'SELL', limit }];
  const bettor = { bankrollUsd: equityUsd, includesUnproven: true, isBuyOnly: false };
  return sizedSignals(record, bettor).signals.flatMap(
    ({ action, token, noToken, prob, bid, ask, betUsd, no }): Order[] => {
      if (prob === null) return [];
      if (action === 'BUY' && ask !== null) {
        if (held.has(noToken)) return sold(noToken, 1 - ask);
        return raised(token, betUsd, { prob, limit: ask });
      }
      if (action !== 'SELL' || bid === null) return [];
      if (held.has(token)) return sold(token, bid);
      if (no === null || noToken === '') return [];
      return raised(noToken, no.betUsd, { prob: 1 - prob, limit: 1 - bid });
    },
  );
}

/** Whoever takes the market at its word buys the bucket with the highest price, at every horizon that is scored. */
export const BUY_FAVOURITE: Strategy = atHorizons('buy-the-favourite', (yesToken) => yesToken);

/** The opposite: buys No of the bucket with the highest price. */
export const SELL_FAVOURITE: Strategy = atHorizons(
  'sell-the-favourite',
  (yesToken, market) => market.listing(yesToken)?.noToken,
);

export const HOLD_CASH: Strategy = { name: 'hold-cash', decide: () => [] };

function atHorizons(
  name: string,
  tokenOf: (yesToken: string, market: Market) => string | undefined,
): Strategy {
  return {
    name,
    decide(output, { portfolio, market }) {
      if (output.stream !== 'predictions') return [];
      const { origin, horizonHours, eventId } = output.record;
      if (origin !== 'live' || horizonHours === null) return [];
      const favourite = favouriteOf(eventId, market);
      const token = favourite && tokenOf(favourite, market);
      if (!token) return [];
      return [{ token, side: 'BUY', usd: FAVOURITE_STAKE * Math.max(0, portfolio().equityUsd) }];
    },
  };
}

function favouriteOf(eventId: number, market: Market): string | undefined {
  let best: { readonly token: string; readonly price: number } | undefined;
  for (const token of market.yesTokens(eventId)) {
    const price = market.price(token)?.price ?? 0;
    if (price > (best?.price ?? 0)) best = { token, price };
  }
  return best?.token;
}
