import { DAY_MS, HOUR_MS } from '../../../streams/internal.ts';
import { type CryptoSymbol, spotPrice, symbolOf } from '../market/spot-price.ts';
import { type Answer, type Handler, ok, wholeNumber } from './answer.ts';

const INTERVALS_MS: Readonly<Record<string, number>> = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': HOUR_MS,
  '1d': DAY_MS,
};
const SAMPLES = 30;

export interface Candle {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

export function candle(seed: number, symbol: CryptoSymbol, fromAt: number, toAt: number): Candle {
  const prices = Array.from({ length: SAMPLES + 1 }, (_, index) =>
    spotPrice(seed, symbol, fromAt + ((toAt - fromAt) * index) / SAMPLES),
  );
  return {
    open: prices[0] ?? 0,
    high: Math.max(...prices),
    low: Math.min(...prices),
    close: prices.at(-1) ?? 0,
  };
}

const INVALID_SYMBOL: Answer = { status: 400, body: { code: -1121, msg: 'Invalid symbol.' } };

export function createCryptoRest(options: { readonly now: () => number; readonly seed: number }): Handler {
  const { now, seed } = options;

  function klines(symbol: CryptoSymbol, query: URLSearchParams): Answer {
    const stepMs = INTERVALS_MS[query.get('interval') ?? ''];
    if (stepMs === undefined) return { status: 400, body: { code: -1120, msg: 'Invalid interval.' } };
    const count = Math.min(1_000, wholeNumber(query, 'limit', 500) ?? 500);
    const startTime = query.get('startTime');
    const lastOpen = Math.floor(now() / stepMs) * stepMs;
    const first =
      startTime === null ? lastOpen - (count - 1) * stepMs : Math.ceil(Number(startTime) / stepMs) * stepMs;
    const rows: unknown[] = [];
    for (let openAt = first; openAt <= lastOpen && rows.length < count; openAt += stepMs) {
      const { open, high, low, close } = candle(seed, symbol, openAt, Math.min(now(), openAt + stepMs - 1));
      const [o, h, l, c] = [open, high, low, close].map((price) => price.toFixed(8));
      rows.push([
        openAt,
        o,
        h,
        l,
        c,
        '12.50000000',
        openAt + stepMs - 1,
        '0.00000000',
        100,
        '0.00000000',
        '0.00000000',
        '0',
      ]);
    }
    return ok(rows);
  }

  return ({ path, query }) => {
    const symbol = symbolOf(query.get('symbol') ?? '');
    const route = path.join('/');
    if (route === 'api/v3/time') return ok({ serverTime: now() });
    if (route !== 'api/v3/ticker/price' && route !== 'api/v3/klines')
      return { status: 404, body: { code: -1, msg: 'not found' } };
    if (symbol === undefined || query.get('symbol') !== symbol.symbol.toUpperCase()) return INVALID_SYMBOL;
    if (route === 'api/v3/klines') return klines(symbol, query);
    return ok({ symbol: symbol.symbol.toUpperCase(), price: spotPrice(seed, symbol, now()).toFixed(8) });
  };
}
