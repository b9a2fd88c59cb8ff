import type { WebSocket } from 'ws';
import * as z from 'zod';
import type { Overrides } from '../control/overrides.ts';
import type { ListedEvents, Place } from '../market/listed-events.ts';
import type { Quote, Quotes } from '../market/quotes.ts';
import type { Settlement } from '../market/settlement.ts';
import { parseJson } from './answer.ts';
import { bookFrame, changeFrames, resolvedFrame } from './book-frames.ts';
import { createWorldSocket, type Silence, type WorldSocket } from './world-socket.ts';

const message = z.object({
  type: z.literal('market').optional(),
  operation: z.enum(['subscribe', 'unsubscribe']).optional(),
  assets_ids: z.array(z.string()).min(1),
  custom_feature_enabled: z.boolean().optional(),
  initial_dump: z.boolean().optional(),
});

/** The tokens of one market that a reader asked for. */
interface Followed {
  readonly places: readonly Place[];
  /** The quote last sent. */
  readonly sent: Quote | undefined;
  /** Nothing can change before this. */
  readonly dueAt: number;
}

interface Reader {
  readonly socket: WebSocket;
  readonly tokens: Set<string>;
  /** Of the tokens those that no market has yet. */
  readonly unlisted: Set<string>;
  readonly markets: Map<number, Followed>;
  /** The changes by hand that its markets reflect. */
  revision: number;
  wantsCustom: boolean;
}

export function createBookSocket(options: {
  readonly now: () => number;
  readonly overrides: Overrides;
  readonly listedEvents: ListedEvents;
  readonly settlement: Settlement;
  readonly quotes: Quotes;
  /** Ms between two looks at the quotes. */
  readonly periodMs: number;
}): WorldSocket {
  const { now, overrides, listedEvents, settlement, quotes, periodMs } = options;
  const readers = new Set<Reader>();
  let silence: Silence = 'none';

  function follow(reader: Reader, token: string): Place | undefined {
    const place = listedEvents.byToken(token, now());
    if (place === undefined) {
      reader.unlisted.add(token);
      return undefined;
    }
    reader.unlisted.delete(token);
    const { places = [], sent } = reader.markets.get(place.market.id) ?? {};
    reader.markets.set(place.market.id, { places: [...places, place], sent, dueAt: 0 });
    return place;
  }

  function subscribe(reader: Reader, tokens: readonly string[], wantsDump: boolean): void {
    const fresh = tokens.filter((token) => !reader.tokens.has(token));
    if (fresh.length === 0) {
      reader.socket.send('NO NEW ASSETS');
      return;
    }
    const books = fresh.flatMap((token) => {
      reader.tokens.add(token);
      const place = follow(reader, token);
      if (place === undefined || settlement.phase(place.event, now()).isClosed) return [];
      const quote = quotes.quote(place.event, place.market, now());
      const followed = reader.markets.get(place.market.id);
      if (wantsDump && followed !== undefined)
        reader.markets.set(place.market.id, { ...followed, sent: quote });
      return [bookFrame(place, quote, now())];
    });
    // The first dump is an array, even of one.
    if (wantsDump && books.length > 0) reader.socket.send(JSON.stringify(books));
  }

  function unsubscribe(reader: Reader, token: string): void {
    reader.tokens.delete(token);
    reader.unlisted.delete(token);
    for (const [id, followed] of reader.markets) {
      const places = followed.places.filter(({ market, outcome }) => market.tokens[outcome] !== token);
      if (places.length === 0) reader.markets.delete(id);
      else if (places.length < followed.places.length) reader.markets.set(id, { ...followed, places });
    }
  }

  /** Looks its markets up again after a change by hand, such as of a window. */
  function renew(reader: Reader): void {
    const before = new Map(reader.markets);
    reader.markets.clear();
    reader.revision = overrides.revision;
    for (const token of reader.tokens) follow(reader, token);
    for (const [id, followed] of reader.markets)
      reader.markets.set(id, { ...followed, sent: before.get(id)?.sent });
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
      for (const token of assets_ids) unsubscribe(reader, token);
    } else if (silence === 'none') {
      subscribe(reader, assets_ids, initial_dump ?? true);
    } else {
      for (const token of assets_ids) {
        if (!reader.tokens.has(token)) follow(reader, token);
        reader.tokens.add(token);
      }
    }
  }

  function send(reader: Reader, frames: readonly unknown[]): void {
    for (const frame of frames) reader.socket.send(JSON.stringify(frame));
  }

  function update(reader: Reader): void {
    if (reader.revision !== overrides.revision) renew(reader);
    for (const token of reader.unlisted) follow(reader, token);
    const at = now();
    for (const [id, { places, sent, dueAt }] of reader.markets) {
      const [place] = places;
      if (dueAt > at || place === undefined) continue;
      const { event, market } = place;
      if (settlement.phase(event, at).isClosed) {
        for (const { outcome } of places) reader.tokens.delete(market.tokens[outcome]);
        reader.markets.delete(id);
        if (reader.wantsCustom) send(reader, [resolvedFrame(place, settlement.won(event, market, at), at)]);
        continue;
      }
      const quote = quotes.quote(event, market, at);
      const isClosing = settlement.phase(event, quote.until).isClosed;
      reader.markets.set(id, { places, sent: quote, dueAt: isClosing ? 0 : quote.until });
      if (sent === quote) continue;
      if (sent === undefined)
        send(
          reader,
          places.map((each) => bookFrame(each, quote, at)),
        );
      else
        send(reader, changeFrames({ places, before: sent, quote, wantsCustom: reader.wantsCustom, now: at }));
    }
  }

  function pump(): void {
    if (silence !== 'none') return;
    for (const reader of readers) update(reader);
  }

  const socket = createWorldSocket<Reader>(readers, {
    periodMs,
    onPeriod: pump,
    pump,
    open: (connection) => ({
      socket: connection,
      tokens: new Set(),
      unlisted: new Set(),
      markets: new Map(),
      revision: overrides.revision,
      wantsCustom: false,
    }),
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
