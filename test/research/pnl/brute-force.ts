import type { Order } from '../../../src/research/pnl/order.ts';
import type { TakerFee } from '../../../streams/internal.ts';
import type { Shown } from './records.ts';

/**
 * What a strategy's orders come to, worked out anew for every question from the bare lists of records and trades:
 * slow, and without any state to get wrong.
 */

export interface PlannedOrder {
  /** The place of the record after which it is given. */
  readonly after: number;
  readonly order: Order;
}

interface Trade {
  readonly token: string;
  readonly side: 'BUY' | 'SELL';
  readonly at: number;
  readonly shares: number;
  readonly price: number;
  readonly fee: number;
  readonly prob: number | undefined;
  /** How many records had been shown. */
  readonly seen: number;
}

interface BruteTerms {
  readonly bankrollUsd: number;
  readonly latencyMs: number;
  readonly maxBookAgeMs: number;
  readonly feeOf: (price: number, token: string, stated: TakerFee | undefined) => number;
}

const eventOf = (token: string) => token.slice(1).split('.')[0] ?? '';
const yesOf = (token: string) => `y${token.slice(1)}`;

export function bruteForce(records: readonly Shown[], planned: readonly PlannedOrder[], terms: BruteTerms) {
  const trades: Trade[] = [];
  const lastTime = records.at(-1)?.time ?? 0;

  /** The last of the first `seen` records that passes. */
  const lastOf = (seen: number, passes: (shown: Shown) => boolean) =>
    records.slice(0, seen).findLastIndex(passes);

  function ownerOf(seen: number, token: string): string | null {
    const place = lastOf(
      seen,
      ({ output }) =>
        output.stream === 'events' &&
        output.record.buckets.some(({ yesToken, noToken }) => [yesToken, noToken].includes(token)),
    );
    const output = records[place]?.output;
    return output?.stream === 'events' && output.record.subject.type === 'posts'
      ? output.record.subject.account
      : null;
  }

  function statedFee(seen: number, token: string): TakerFee | undefined {
    const fees = records.slice(0, seen).flatMap(({ output }) => {
      if (output.stream !== 'events') return [];
      const bucket = output.record.buckets.find(({ yesToken }) => yesToken === yesOf(token));
      return bucket === undefined ? [] : [bucket.fee];
    });
    return fees.at(-1);
  }

  function payoutOf(seen: number, token: string): { readonly pays: number; readonly place: number } | null {
    for (let place = 0; place < seen; place++) {
      const output = records[place]?.output;
      if (output?.stream !== 'events') continue;
      for (const { yesToken, noToken, won } of output.record.buckets) {
        if (won === null) continue;
        if (yesToken === token) return { pays: won ? 1 : 0, place };
        if (noToken === token) return { pays: won ? 0 : 1, place };
      }
    }
    return null;
  }

  function bookOf(seen: number, token: string, side: 'BUY' | 'SELL') {
    const place = lastOf(seen, ({ output }) => output.stream === 'prices' && output.key === yesOf(token));
    const shown = records[place];
    if (shown?.output.stream !== 'prices') return null;
    const { bid, ask, bidSize, askSize } = shown.output.record;
    const isYes = token.startsWith('y');
    const takesAsk = (isYes && side === 'BUY') || (!isYes && side === 'SELL');
    const quote = takesAsk ? ask : bid;
    if (quote === null || !(quote > 0 && quote < 1)) return null;
    const tick = records[lastOf(seen, ({ output }) => output.stream === 'freshness')];
    let knownAt = shown.time;
    if (tick?.output.stream === 'freshness') {
      const { ages, lagging } = tick.output.record;
      const age = lagging?.prices?.[eventOf(token)] ?? ages.prices;
      if (age !== undefined && tick.time - age > knownAt) knownAt = tick.time - age;
    }
    const wasTaken = trades.filter(
      (trade) =>
        yesOf(trade.token) === yesOf(token) &&
        trade.seen > place &&
        (trade.token.startsWith('y') === (trade.side === 'BUY')) === takesAsk,
    );
    const left = (takesAsk ? askSize : bidSize) ?? null;
    return {
      price: isYes ? quote : 1 - quote,
      size: left,
      left: left === null ? 0 : left - wasTaken.reduce((sum, { shares }) => sum + shares, 0),
      knownAt,
    };
  }

  /** Shares and cost of what is held, one trade after the other; payouts of the first `seen` records included. */
  function holdings(seen: number) {
    const held = new Map<string, { shares: number; cost: number }>();
    let cash = terms.bankrollUsd;
    for (const { token, side, shares, price, fee } of trades) {
      const own = held.get(token) ?? { shares: 0, cost: 0 };
      if (side === 'BUY') {
        held.set(token, { shares: own.shares + shares, cost: own.cost + shares * (price + fee) });
        cash -= shares * (price + fee);
      } else {
        const rest = own.shares - shares;
        if (rest <= 1e-9) held.delete(token);
        else held.set(token, { shares: rest, cost: own.cost * (rest / own.shares) });
        cash += shares * (price - fee);
      }
    }
    for (const [token, { shares }] of held) {
      const payout = payoutOf(seen, token);
      if (payout === null) continue;
      cash += shares * payout.pays;
      held.delete(token);
    }
    return { cash, held };
  }

  function equity(seen: number): number {
    const { cash, held } = holdings(seen);
    return [...held].reduce(
      (sum, [token, { shares }]) => sum + shares * (bookOf(seen, token, 'SELL')?.price ?? 0),
      cash,
    );
  }

  function attempt({ order, after }: PlannedOrder): void {
    const at = (records[after]?.time ?? 0) + terms.latencyMs;
    if (at > lastTime) return;
    const { token, side } = order;
    const seen = records.filter(({ time }) => time <= at).length;
    const owner = ownerOf(seen, token);
    const book = bookOf(seen, token, side);
    if (owner === null || book === null || payoutOf(seen, token) !== null) return;
    if (at - book.knownAt > terms.maxBookAgeMs || book.size === null || book.left <= 0) return;
    if (order.limit !== undefined && (side === 'BUY' ? book.price > order.limit : book.price < order.limit))
      return;
    const fee = terms.feeOf(book.price, token, statedFee(seen, token));
    const { cash, held } = holdings(seen);
    const own = held.get(token);
    let shares: number;
    if (side === 'SELL') {
      if (own === undefined) return;
      shares = Math.min(order.shares ?? Number.POSITIVE_INFINITY, own.shares, book.left);
      if (shares * book.price < 0.01) return;
    } else {
      const total = equity(seen);
      const cost = book.price + fee;
      const costOf = (isMeant: (token: string) => boolean) =>
        [...held].reduce((sum, [each, { cost }]) => sum + (isMeant(each) ? cost : 0), 0);
      const probability = order.prob ?? 0;
      const kelly = cost < 1 && probability > cost ? (probability - cost) / (1 - cost) : 0;
      const wanted = order.usd ?? (kelly / 4) * total - (own?.cost ?? 0);
      const room = Math.min(
        0.05 * total - costOf((each) => eventOf(each) === eventOf(token)),
        0.1 * total - costOf((each) => ownerOf(seen, each) === owner),
        cash,
      );
      if (wanted <= 0 || room < 0.01) return;
      shares = Math.min(wanted / cost, room / cost, book.left);
      if (shares * cost < 0.01) return;
    }
    trades.push({ token, side, at, shares, price: book.price, fee, prob: order.prob, seen });
  }

  for (const each of planned) attempt(each);
  return { trades, endUsd: equity(records.length) };
}
