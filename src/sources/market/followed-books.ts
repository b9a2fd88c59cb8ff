import type { PricesFact, Quote } from '../../../streams/internal.ts';
import type { BookEvent, PriceChanges, WireBook } from './book-payload.ts';
import { createOrderBook, type OrderBook, type Top } from './order-book.ts';

/**
 * The books of the tokens followed, and which of their quotes have changed since they were last taken. It
 * holds one quote per token however fast they change, so a burst cannot grow it.
 */
export interface FollowedBooks {
  /** Follows these tokens, given with their events, and forgets all others. */
  follow(eventIds: ReadonlyMap<string, number>): void;
  /** Whether the event is about a followed token. */
  apply(event: BookEvent): boolean;
  /** Corrects a book from a snapshot; true when its best prices were wrong. An outdated snapshot is ignored. */
  correct(book: WireBook): boolean;
  /** The quotes changed since the last call, by event. */
  take(): readonly PricesFact[];
}

interface Followed {
  book: OrderBook | undefined;
  top: Top;
  last: number | null;
  /** The latest time a message says it was sent, UTC ms. */
  sentAt: number;
  delivered: Quote | undefined;
}

export function createFollowedBooks(): FollowedBooks {
  let eventIds: ReadonlyMap<string, number> = new Map();
  const followed = new Map<string, Followed>();
  const changed = new Set<string>();

  function replace(token: Followed, book: WireBook) {
    token.book = createOrderBook(book.bids ?? [], book.asks ?? []);
    token.top = withoutEmptySides(token.book.top());
    token.last = book.last_trade_price ?? token.last;
    note(book.asset_id, token, book.timestamp);
  }

  function note(id: string, token: Followed, sentAt: number | null) {
    token.sentAt = Math.max(token.sentAt, sentAt ?? 0);
    if (isDelivered(token)) changed.delete(id);
    else changed.add(id);
  }

  function applyChanges({ price_changes, timestamp }: PriceChanges): boolean {
    let isOurs = false;
    for (const change of price_changes) {
      const token = followed.get(change.asset_id);
      // Until the first whole book a change has nothing to change.
      if (token?.book === undefined) continue;
      isOurs = true;
      token.book.change(change.side === 'BUY' ? 'bid' : 'ask', change);
      // The provider's own best prices come from the real book; ours may have missed a change.
      token.top = withoutEmptySides({ ...token.book.top(), ...statedTop(change) });
      note(change.asset_id, token, timestamp);
    }
    return isOurs;
  }

  return {
    follow(wanted) {
      eventIds = wanted;
      for (const id of followed.keys()) {
        if (wanted.has(id)) continue;
        followed.delete(id);
        changed.delete(id);
      }
      for (const id of wanted.keys()) {
        if (followed.has(id)) continue;
        followed.set(id, {
          book: undefined,
          top: { bid: null, ask: null },
          last: null,
          sentAt: 0,
          delivered: undefined,
        });
      }
    },
    apply(event) {
      if (event.event_type === 'price_change') return applyChanges(event);
      const token = followed.get(event.asset_id);
      if (token === undefined) return false;
      if (event.event_type === 'book') {
        replace(token, event);
        return true;
      }
      if (event.event_type === 'best_bid_ask')
        token.top = withoutEmptySides({ ...token.top, ...statedTop(event) });
      else token.last = event.price;
      note(event.asset_id, token, event.timestamp);
      return true;
    },
    correct(book) {
      const token = followed.get(book.asset_id);
      if (token === undefined || (book.timestamp !== null && book.timestamp < token.sentAt)) return false;
      const { top, book: before } = token;
      replace(token, book);
      return before !== undefined && (top.bid !== token.top.bid || top.ask !== token.top.ask);
    },
    take() {
      const quotes = new Map<number, Quote[]>();
      for (const id of changed) {
        const token = followed.get(id);
        const eventId = eventIds.get(id);
        if (token === undefined || eventId === undefined) continue;
        token.delivered = quoteOf(id, token);
        quotes.set(eventId, [...(quotes.get(eventId) ?? []), token.delivered]);
      }
      changed.clear();
      return Array.from(quotes, ([eventId, list]) => ({ kind: 'prices', eventId, quotes: list }));
    },
  };
}

/** Sizes change far more often than prices. A smaller change than this share of a size is not worth a fact of its own. */
const MATERIAL_SHARE = 0.25;

function isDelivered(token: Followed): boolean {
  const { delivered, top, last } = token;
  return (
    delivered?.bid === top.bid &&
    delivered.ask === top.ask &&
    delivered.last === last &&
    isNear(delivered.bidSize ?? null, sizeOf(token, 'bid')) &&
    isNear(delivered.askSize ?? null, sizeOf(token, 'ask'))
  );
}

function isNear(delivered: number | null, size: number | null): boolean {
  if (delivered === null || size === null) return delivered === size;
  return Math.abs(size - delivered) < MATERIAL_SHARE * delivered;
}

/** Shares at the best price; null where our book has no such level, as it may have missed a change. */
function sizeOf({ book, top }: Followed, side: 'bid' | 'ask'): number | null {
  const price = top[side];
  return price === null ? null : (book?.sizeAt(side, price) ?? null);
}

function quoteOf(id: string, token: Followed): Quote {
  const { top, last } = token;
  const sizes = { bidSize: sizeOf(token, 'bid'), askSize: sizeOf(token, 'ask') };
  return { token: id, bid: top.bid, ask: top.ask, ...sizes, last, ui: null };
}

type TopEvent = Partial<Pick<BookEvent & { event_type: 'best_bid_ask' }, 'best_bid' | 'best_ask'>>;

/** The best prices that an event states, without those it leaves out. */
function statedTop({ best_bid, best_ask }: TopEvent): Partial<Top> {
  return {
    ...(best_bid === undefined ? {} : { bid: best_bid }),
    ...(best_ask === undefined ? {} : { ask: best_ask }),
  };
}

// A bid of 0 or an ask of 1 is impossible: some messages write an empty side that way.
function withoutEmptySides({ bid, ask }: Top): Top {
  return { bid: bid === 0 ? null : bid, ask: ask === 1 ? null : ask };
}
