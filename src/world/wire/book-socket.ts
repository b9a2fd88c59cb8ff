import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { ListedEvents, Place } from '../market/listed-events.ts';
import type { Quote, Quotes } from '../market/quotes.ts';
import type { Settlement } from '../market/settlement.ts';
import { parseJson } from './answer.ts';
import { bookFrame, changeFrames, resolvedFrame } from './book-frames.ts';
import { createWorldSocket, type Silence, type WorldSocket } from './world-socket.ts';

/** How often quotes are compared with what a reader has; a quote itself holds much longer. */
const PUMP_MS = 250;

const message = z.object({
  type: z.literal('market').optional(),
  operation: z.enum(['subscribe', 'unsubscribe']).optional(),
  assets_ids: z.array(z.string()).min(1),
  custom_feature_enabled: z.boolean().optional(),
  initial_dump: z.boolean().optional(),
});

interface Reader {
  readonly socket: WebSocket;
  readonly tokens: Set<string>;
  /** The quote last sent, by market. */
  readonly sent: Map<number, Quote>;
  wantsCustom: boolean;
}

export function createBookSocket(options: {
  readonly now: () => number;
  readonly listedEvents: ListedEvents;
  readonly settlement: Settlement;
  readonly quotes: Quotes;
}): WorldSocket {
  const { now, listedEvents, settlement, quotes } = options;
  const readers = new Set<Reader>();
  let silence: Silence = 'none';

  function placeOf(token: string): Place | undefined {
    const place = listedEvents.byToken(token, now());
    return place === undefined || settlement.phase(place.event, now()).isClosed ? undefined : place;
  }

  function subscribe(reader: Reader, tokens: readonly string[], wantsDump: boolean): void {
    const fresh = tokens.filter((token) => !reader.tokens.has(token));
    if (fresh.length === 0) {
      reader.socket.send('NO NEW ASSETS');
      return;
    }
    for (const token of fresh) reader.tokens.add(token);
    const places = fresh.flatMap((token) => placeOf(token) ?? []);
    const books = places.map((place) => {
      const quote = quotes.quote(place.event, place.market, now());
      if (wantsDump) reader.sent.set(place.market.id, quote);
      return bookFrame(place, quote, now());
    });
    // The first dump is an array, even of one.
    if (wantsDump && books.length > 0) reader.socket.send(JSON.stringify(books));
  }

  function receive(reader: Reader, text: string): void {
    // Subscriptions are taken during a silence too: their data follows when it ends.
    const answer = (reply: string): void => {
      if (silence !== 'all') reader.socket.send(reply);
    };
    if (text === 'PING') {
      answer('PONG');
      return;
    }
    const parsed = message.safeParse(parseJson(text));
    if (!parsed.success) {
      answer('INVALID OPERATION');
      return;
    }
    const { operation, assets_ids, custom_feature_enabled, initial_dump } = parsed.data;
    if (custom_feature_enabled !== undefined) reader.wantsCustom = custom_feature_enabled;
    if (operation === 'unsubscribe') {
      for (const token of assets_ids) reader.tokens.delete(token);
    } else if (silence === 'none') {
      subscribe(reader, assets_ids, initial_dump ?? true);
    } else {
      for (const token of assets_ids) reader.tokens.add(token);
    }
  }

  function send(reader: Reader, frames: readonly unknown[]): void {
    for (const frame of frames) reader.socket.send(JSON.stringify(frame));
  }

  function update(reader: Reader): void {
    const byMarket = new Map<number, Place[]>();
    for (const token of reader.tokens) {
      const place = listedEvents.byToken(token, now());
      if (place === undefined) continue;
      const places = byMarket.get(place.market.id);
      if (places === undefined) byMarket.set(place.market.id, [place]);
      else places.push(place);
    }
    for (const [marketId, places] of byMarket) {
      const place = places[0];
      if (place === undefined) continue;
      if (settlement.phase(place.event, now()).isClosed) {
        for (const { market, outcome } of places) reader.tokens.delete(market.tokens[outcome]);
        const won = settlement.won(place.event, place.market, now());
        if (reader.wantsCustom) send(reader, [resolvedFrame(place, won, now())]);
        continue;
      }
      const quote = quotes.quote(place.event, place.market, now());
      const before = reader.sent.get(marketId);
      if (before === quote) continue;
      reader.sent.set(marketId, quote);
      if (before === undefined)
        send(
          reader,
          places.map((each) => bookFrame(each, quote, now())),
        );
      else send(reader, changeFrames({ places, before, quote, wantsCustom: reader.wantsCustom, now: now() }));
    }
  }

  function pump(): void {
    if (silence !== 'none') return;
    for (const reader of readers) update(reader);
  }

  const socket = createWorldSocket<Reader>(readers, {
    periodMs: PUMP_MS,
    onPeriod: pump,
    pump,
    open: (connection) => ({ socket: connection, tokens: new Set(), sent: new Map(), wantsCustom: false }),
    receive,
  });
  return {
    ...socket,
    silence(mode) {
      silence = mode;
      pump();
    },
  };
}
