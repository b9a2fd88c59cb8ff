import * as z from 'zod';
import type { ListedEvents, Place } from '../market/listed-events.ts';
import type { Quote, Quotes } from '../market/quotes.ts';
import type { Settlement } from '../market/settlement.ts';
import { unit } from '../rng.ts';
import { type Answer, type Handler, jsonBody, ok } from './answer.ts';
import { bookJson, lastText, topOf } from './book-json.ts';

const failure = (status: number, error: string): Answer => ({ status, body: { error } });
const NO_BOOK = failure(404, 'No orderbook exists for the requested token id');
const MOST_BOOKS = 500;

const tokenList = z
  .array(z.object({ token_id: z.string(), side: z.enum(['BUY', 'SELL']).optional() }))
  .max(MOST_BOOKS);

const HISTORY_STEPS = 120;
const INTERVALS_S: Readonly<Record<string, number>> = {
  '1h': 3_600,
  '6h': 21_600,
  '1d': 86_400,
  '1w': 604_800,
  '1m': 2_592_000,
  max: 2_592_000,
};

const historyQuery = z.object({
  markets: z
    .array(z.string().regex(/^\d{1,78}$/))
    .min(1)
    .max(20),
  interval: z.string().optional(),
  start_ts: z.number().optional(),
  end_ts: z.number().optional(),
  fidelity: z.number().min(1).optional(),
});

/** The span and the steps of a history: an interval up to now, or from a second to a second; steps in minutes. */
interface Span {
  readonly interval: string | undefined;
  readonly startS: number | undefined;
  readonly endS: number | undefined;
  readonly fidelity: number | undefined;
}

/** `t` is in seconds. */
interface PastPrice {
  readonly t: number;
  readonly p: number;
}

export function createBookRest(options: {
  readonly now: () => number;
  readonly listedEvents: ListedEvents;
  readonly settlement: Settlement;
  readonly quotes: Quotes;
}): Handler {
  const { now, listedEvents, settlement, quotes } = options;

  function open(token: string): (Place & { readonly quote: Quote }) | undefined {
    const place = listedEvents.byToken(token, now());
    if (place === undefined || settlement.phase(place.event, now()).isClosed) return undefined;
    return { ...place, quote: quotes.quote(place.event, place.market, now()) };
  }

  function one(
    query: URLSearchParams,
    render: (place: Place & { readonly quote: Quote }) => unknown,
  ): Answer {
    const token = query.get('token_id') ?? '';
    if (!/^\d{1,78}$/.test(token)) return failure(400, 'Invalid token id');
    const place = open(token);
    return place === undefined ? NO_BOOK : ok(render(place));
  }

  function price(query: URLSearchParams): Answer {
    const side = query.get('side');
    if (side !== 'BUY' && side !== 'SELL') return failure(400, 'Invalid side');
    return one(query, ({ quote, outcome }) => {
      const top = topOf(quote, outcome);
      return { price: (side === 'BUY' ? top.bid : top.ask) || '0' };
    });
  }

  function many(tokens: z.infer<typeof tokenList>, name: string): Answer {
    const places = tokens.flatMap(({ token_id }) => open(token_id) ?? []);
    if (name === 'books')
      return ok(
        places.map((place) => bookJson(place.event, place.market, place.quote, place.outcome, now())),
      );
    const rows = places.map(({ market, quote, outcome }): [string, unknown] => {
      const top = topOf(quote, outcome);
      return [
        market.tokens[outcome],
        name === 'midpoints' ? top.mid : { BUY: top.bid || '0', SELL: top.ask || '0' },
      ];
    });
    return ok(Object.fromEntries(rows));
  }

  /** Prices at even steps; a past quote is a function of its time, so nothing needs to be kept. */
  function pricesOf(token: string, { interval, startS, endS, fidelity }: Span): readonly PastPrice[] {
    const place = listedEvents.byToken(token, now());
    if (place === undefined) return [];
    const { event, market, outcome } = place;
    // Nobody trades a closed market.
    const closedAt = settlement.phase(event, now()).closedAt ?? Number.POSITIVE_INFINITY;
    const lastS = Math.floor(Math.min(now(), closedAt - 1) / 1000);
    const toS = Math.min(endS ?? lastS, lastS);
    const wantedS = startS ?? toS - (INTERVALS_S[interval ?? '1d'] ?? 86_400);
    const stepS = Math.max(60 * (fidelity ?? 1), Math.ceil((toS - wantedS) / HISTORY_STEPS));
    const rows: PastPrice[] = [];
    for (let t = Math.max(wantedS, Math.ceil(event.listedAt / 1000)); t <= toS; t += stepS) {
      rows.push({ t, p: Number(topOf(quotes.past(event, market, t * 1000), outcome).mid) });
    }
    return rows;
  }

  function history(query: URLSearchParams): Answer {
    const interval = query.get('interval') ?? undefined;
    if (interval !== undefined && (query.has('startTs') || query.has('endTs')))
      return failure(400, 'interval and startTs/endTs exclude each other');
    const number = (name: string): number | undefined =>
      query.has(name) ? Number(query.get(name)) : undefined;
    const span = { interval, startS: number('startTs'), endS: number('endTs'), fidelity: number('fidelity') };
    return ok({ history: pricesOf(query.get('market') ?? '', span) });
  }

  function histories({
    markets,
    interval,
    start_ts,
    end_ts,
    fidelity,
  }: z.infer<typeof historyQuery>): Answer {
    const span = { interval, startS: start_ts, endS: end_ts, fidelity };
    return ok({ history: Object.fromEntries(markets.map((token) => [token, pricesOf(token, span)])) });
  }

  return (request) => {
    const { path, query, method } = request;
    const name = path[0] ?? '';
    if (method === 'POST' && ['books', 'midpoints', 'prices'].includes(name)) {
      const tokens = tokenList.safeParse(jsonBody(request));
      return tokens.success ? many(tokens.data, name) : failure(400, 'Invalid payload');
    }
    if (method === 'POST' && name === 'batch-prices-history') {
      const asked = historyQuery.safeParse(jsonBody(request));
      return asked.success ? histories(asked.data) : failure(400, 'Invalid payload');
    }
    if (method !== 'GET') return failure(405, 'Method not allowed');
    switch (name) {
      case 'book':
        return one(query, ({ event, market, quote, outcome }) =>
          bookJson(event, market, quote, outcome, now()),
        );
      case 'price':
        return price(query);
      case 'midpoint':
        return one(query, ({ quote, outcome }) => ({ mid: topOf(quote, outcome).mid }));
      case 'midpoints':
      case 'prices':
        return many(
          (query.get('token_ids') ?? '').split(',').map((token_id) => ({ token_id })),
          name,
        );
      case 'spread':
        return one(query, ({ quote, outcome }) => ({ spread: topOf(quote, outcome).spread || '0' }));
      case 'last-trade-price':
        return one(query, ({ market, quote, outcome }) => {
          const side = unit('side', market.id, quote.slot) < 0.5 ? 'BUY' : 'SELL';
          return quote.last === null ? { price: '0.5', side: '' } : { price: lastText(quote, outcome), side };
        });
      case 'tick-size':
        return one(query, ({ quote }) => ({ minimum_tick_size: quote.tick / 1000 }));
      case 'neg-risk':
        return one(query, ({ event }) => ({ neg_risk: event.isNegRisk }));
      case 'prices-history':
        return history(query);
      case 'time':
        return ok(Math.floor(now() / 1000));
      default:
        return failure(404, 'Not found');
    }
  };
}
