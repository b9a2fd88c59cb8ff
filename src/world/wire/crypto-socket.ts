import type { WebSocket } from 'ws';
import * as z from 'zod';
import { DAY_MS } from '../../../streams/internal.ts';
import { type CryptoSymbol, spotPrice, symbolOf } from '../market/spot-price.ts';
import { parseJson } from './answer.ts';
import { type Candle, candle } from './crypto-rest.ts';
import { createWorldSocket, type Silence, type WorldSocket } from './world-socket.ts';

const PING_EVERY_TICKS = 20;
const DAY_KEPT_MS = 10 * 60_000;

const message = z.object({
  method: z.enum(['SUBSCRIBE', 'UNSUBSCRIBE', 'LIST_SUBSCRIPTIONS']),
  params: z.array(z.string()).optional(),
  id: z.union([z.number(), z.string(), z.null()]).optional(),
});

interface Reader {
  readonly socket: WebSocket;
  readonly streams: Set<string>;
  /** Whether frames are wrapped with the name of their stream. */
  readonly isCombined: boolean;
}

/** The exchange's stream server: raw below `/ws`, combined at `/stream`. */
export function createCryptoSocket(options: {
  readonly now: () => number;
  readonly seed: number;
  /** Ms between two prices. */
  readonly periodMs: number;
}): WorldSocket {
  const { now, seed, periodMs } = options;
  const readers = new Set<Reader>();
  const days = new Map<string, { readonly place: number; readonly candle: Candle }>();
  let silence: Silence = 'none';
  let ticks = 0;

  /** The last 24 hours, at most ten minutes old. */
  function dayOf(symbol: CryptoSymbol, at: number): Candle {
    const place = Math.floor(at / DAY_KEPT_MS);
    const known = days.get(symbol.symbol);
    if (known?.place === place) return known.candle;
    const fresh = candle(seed, symbol, at - DAY_MS, at);
    days.set(symbol.symbol, { place, candle: fresh });
    return fresh;
  }

  function frameOf(stream: string): Record<string, unknown> | undefined {
    const [name = '', kind = ''] = stream.split('@');
    const symbol = symbolOf(name);
    if (symbol === undefined || name !== symbol.symbol) return undefined;
    const at = now();
    const price = spotPrice(seed, symbol, at);
    const text = price.toFixed(2);
    const head = { E: at, s: symbol.symbol.toUpperCase() };
    if (kind === 'miniTicker') {
      const { open, high, low } = dayOf(symbol, at);
      const range = {
        o: open.toFixed(2),
        h: Math.max(high, price).toFixed(2),
        l: Math.min(low, price).toFixed(2),
      };
      return { e: '24hrMiniTicker', ...head, c: text, ...range, v: '10234.50000', q: '624000000.00000000' };
    }
    if (kind === 'trade')
      return {
        e: 'trade',
        ...head,
        t: Math.floor(at / 1000),
        p: text,
        q: '0.00100',
        T: at,
        m: true,
        M: true,
      };
    if (kind === 'bookTicker') {
      return {
        u: at,
        s: head.s,
        b: (price - 0.01).toFixed(2),
        B: '1.20000',
        a: (price + 0.01).toFixed(2),
        A: '0.80000',
      };
    }
    return undefined;
  }

  function receive(reader: Reader, text: string): void {
    if (silence === 'all') return;
    const parsed = message.safeParse(parseJson(text));
    if (!parsed.success) {
      reader.socket.send(JSON.stringify({ code: 2, msg: 'Invalid request: unknown variant' }));
      return;
    }
    const { method, params = [], id = null } = parsed.data;
    for (const stream of params) {
      if (method === 'SUBSCRIBE') reader.streams.add(stream);
      else reader.streams.delete(stream);
    }
    reader.socket.send(
      JSON.stringify({ result: method === 'LIST_SUBSCRIPTIONS' ? [...reader.streams] : null, id }),
    );
  }

  function pump(): void {
    if (silence !== 'none') return;
    for (const { socket, streams, isCombined } of readers) {
      for (const stream of streams) {
        const data = frameOf(stream);
        if (data !== undefined) socket.send(JSON.stringify(isCombined ? { stream, data } : data));
      }
    }
  }

  const socket = createWorldSocket<Reader>(readers, {
    periodMs,
    onPeriod() {
      ticks++;
      if (ticks % PING_EVERY_TICKS === 0 && silence !== 'all')
        for (const { socket } of readers) socket.ping(String(now()));
      pump();
    },
    pump,
    open(connection, request, path) {
      const query = new URL(request.url ?? '/', 'http://world.invalid').searchParams;
      const isCombined = path.startsWith('/stream');
      const named = isCombined ? (query.get('streams') ?? '') : path.replace(/^\/ws\/?/, '');
      const streams = new Set(named.split('/').filter((stream) => stream !== ''));
      return { socket: connection, streams, isCombined };
    },
    receive,
  });
  return {
    ...socket,
    silence(mode) {
      silence = mode;
    },
  };
}
