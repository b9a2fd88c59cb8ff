import { DAY_MS } from '../../../streams/internal.ts';
import { isoSeconds } from '../calendar.ts';
import { bookOf, type Quotes } from '../market/quotes.ts';
import type { Settlement } from '../market/settlement.ts';
import type { Holding, Wallets } from '../market/wallets.ts';
import { type Answer, type Handler, ok, wholeNumber } from './answer.ts';

const DEFAULT_LIMIT = 100;
const MOST_ROWS = 500;
const MOST_OFFSET = 10_000;
/** Rows of events that ended longer ago carry no `eventId`. */
const WITH_EVENT_ID_MS = 14 * DAY_MS;

const failure = (error: string): Answer => ({ status: 400, body: { error } });
const round = (value: number): number => Math.round(value * 10_000) / 10_000;

export function createPositionsRest(options: {
  readonly now: () => number;
  readonly wallets: Wallets;
  readonly settlement: Settlement;
  readonly quotes: Quotes;
}): Handler {
  const { now, wallets, settlement, quotes } = options;

  function currentPrice({ event, market, outcome }: Holding): number {
    if (settlement.phase(event, now()).isClosed)
      return settlement.won(event, market, now()) === (outcome === 0) ? 1 : 0;
    const { bids, asks } = bookOf(quotes.quote(event, market, now()), outcome);
    return ((bids[0]?.price ?? 0) + (asks[0]?.price ?? 1000)) / 2000;
  }

  function row(wallet: string, holding: Holding, holdings: readonly Holding[]) {
    const { event, market, outcome, size, avgPrice } = holding;
    const other = outcome === 0 ? 1 : 0;
    const curPrice = currentPrice(holding);
    const initialValue = round(size * avgPrice);
    const currentValue = round(size * curPrice);
    const cashPnl = round(currentValue - initialValue);
    const isClosed = settlement.phase(event, now()).isClosed;
    const holdsBoth = holdings.some(
      (each) => each.market.id === market.id && each.outcome === other && each.size > 0,
    );
    return {
      proxyWallet: wallet,
      asset: market.tokens[outcome],
      conditionId: market.conditionId,
      size,
      avgPrice,
      initialValue,
      currentValue,
      cashPnl,
      percentPnl: initialValue === 0 ? 0 : round((100 * cashPnl) / initialValue),
      totalBought: size,
      realizedPnl: 0,
      percentRealizedPnl: 0,
      curPrice,
      redeemable: isClosed,
      mergeable: !isClosed && size > 0 && holdsBoth,
      title: market.question,
      slug: market.slug,
      icon: `https://images.invalid/${event.tag.slug}.png`,
      ...(now() - event.endAt < WITH_EVENT_ID_MS && { eventId: String(event.id) }),
      eventSlug: event.slug,
      outcome: market.outcomes[outcome],
      outcomeIndex: outcome,
      oppositeOutcome: market.outcomes[other],
      oppositeAsset: market.tokens[other],
      endDate: isoSeconds(event.endAt).slice(0, 10),
      negativeRisk: event.isNegRisk,
    };
  }

  type Row = ReturnType<typeof row>;

  function rank(row: Row, sortBy: string): number {
    if (sortBy === 'CURRENT') return row.currentValue;
    if (sortBy === 'INITIAL') return row.initialValue;
    if (sortBy === 'CASHPNL') return row.cashPnl;
    if (sortBy === 'PERCENTPNL') return row.percentPnl;
    if (sortBy === 'PRICE') return row.curPrice;
    return sortBy === 'AVGPRICE' ? row.avgPrice : row.size;
  }

  function list(wallet: string, query: URLSearchParams): Answer {
    const limit = wholeNumber(query, 'limit', DEFAULT_LIMIT);
    const offset = wholeNumber(query, 'offset', 0);
    if (limit === undefined || limit > MOST_ROWS) return failure("invalid query param 'limit'");
    if (offset === undefined || offset > MOST_OFFSET) return failure("invalid query param 'offset'");
    const threshold = Number(query.get('sizeThreshold') ?? 1);
    if (Number.isNaN(threshold)) return failure("invalid query param 'sizeThreshold'");
    const conditions = query.get('market')?.split(',');
    const eventIds = query.get('eventId')?.split(',');
    if (conditions !== undefined && eventIds !== undefined)
      return failure("query params 'market' and 'eventId' exclude each other");
    const title = query.get('title')?.toLowerCase() ?? '';
    const redeemable = query.get('redeemable');
    const sortBy = query.get('sortBy') ?? 'TOKENS';
    const sign = query.get('sortDirection') === 'ASC' ? 1 : -1;
    const holdings = wallets.holdings(wallet);
    const rows = holdings
      .filter(
        ({ event, market, size }) =>
          size >= threshold &&
          (conditions?.includes(market.conditionId) ?? true) &&
          (eventIds?.includes(String(event.id)) ?? true),
      )
      .map((holding) => row(wallet, holding, holdings))
      .filter(
        (each) =>
          each.title.toLowerCase().includes(title) &&
          (redeemable === null || String(each.redeemable) === redeemable),
      )
      .sort(
        (left, right) =>
          sign * (rank(left, sortBy) - rank(right, sortBy)) || (left.asset < right.asset ? -1 : 1),
      );
    return ok(rows.slice(offset, offset + limit));
  }

  return ({ path, query }) => {
    const user = query.get('user');
    if (path[0] !== 'positions' && path[0] !== 'value') return { status: 404, body: { error: 'not found' } };
    if (user === null) return failure("required query param 'user' not provided");
    if (!/^0x[0-9a-fA-F]{40}$/.test(user)) return failure("invalid query param 'user'");
    if (path[0] === 'positions') return list(user, query);
    const value = wallets
      .holdings(user)
      .reduce((sum, holding) => sum + holding.size * currentPrice(holding), 0);
    return ok([{ user, value: round(value) }]);
  };
}
