import { MINUTE_MS, type PricesFact, type Quote } from '../../../streams/internal.ts';
import type { SourceContext } from '../source.ts';
import { tellOnce } from '../tell-once.ts';
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
  /** The connection that kept the books of these tokens current was lost: changes mean nothing until there are new ones. */
  lose(ids: Iterable<string>): void;
  /** Corrects a book from a snapshot; true when its best prices were wrong. An outdated snapshot is ignored. */
  correct(book: WireBook): boolean;
  /**
   * A snapshot of these tokens came. It answers for those that it showed, and for those that never had a book: a price out
   * of a book that is gone stays as old as it is.
   */
  answered(ids: readonly string[]): void;
  /** Whether it follows an event that has its turn in this part of a round. */
  has(part: number): boolean;
  /** When each token of this part that was heard of since the last call was last heard of, by `mono`. */
  takeHeard(part: number): Readonly<Record<string, number>>;
  /** The quotes of this part changed since the last call, by event. */
  take(part: number): readonly PricesFact[];
}

/**
 * Prices are delivered in rounds of so many parts, and each event has its turn in one of them: what hundreds of events bring at
 * once would hold up requests for long. Few events are one part.
 */
export const PARTS_OF_ROUND = 5;
const EVENTS_PER_PART = 20;

/** The part in which the event at this place among those followed has its turn. */
export function partOfRound(place: number): number {
  return Math.floor(place / EVENTS_PER_PART) % PARTS_OF_ROUND;
}

interface Followed {
  book: OrderBook | undefined;
  top: Top;
  last: number | null;
  /** The latest time a message says it was sent, UTC ms. */
  sentAt: number;
  delivered: Quote | undefined;
}

/** A message that says it was sent later than this after our present is wrong about that. */
const AHEAD_MS = MINUTE_MS;

export function createFollowedBooks(
  context: Pick<SourceContext, 'now' | 'mono' | 'refused' | 'lookups'>,
): FollowedBooks {
  const { now, mono, lookups } = context;
  const faults = tellOnce(1);
  let eventIds: ReadonlyMap<string, number> = new Map();
  const followed = new Map<string, Followed>();
  const changed = new Set<string>();
  /** When tokens were heard of, by `mono`, until this is taken. */
  const heard = new Map<string, number>();
  /** By event. */
  let parts: ReadonlyMap<number, number> = new Map();
  let presentParts: ReadonlySet<number> = new Set();

  /** When a message was sent; null when it does not say, or says a time to come: nothing would be newer than that. */
  function plausible(sentAt: number | null): number | null {
    if (sentAt === null || sentAt <= now() + AHEAD_MS) return sentAt;
    faults.tell('sentAt', 'the books say that they were sent at a time ahead of our clock', context);
    return null;
  }

  function isIn(part: number, id: string): boolean {
    return parts.get(eventIds.get(id) ?? Number.NaN) === part;
  }

  function replace(token: Followed, book: WireBook) {
    token.book = createOrderBook(book.bids ?? [], book.asks ?? []);
    token.top = withoutEmptySides(token.book.top());
    token.last = book.last_trade_price ?? token.last;
    note(book.asset_id, token, book.timestamp);
  }

  function note(id: string, token: Followed, sentAt: number | null) {
    token.sentAt = Math.max(token.sentAt, plausible(sentAt) ?? 0);
    heard.set(id, mono());
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
      parts = new Map(Array.from(new Set(wanted.values()), (event, place) => [event, partOfRound(place)]));
      presentParts = new Set(parts.values());
      for (const id of followed.keys()) {
        if (wanted.has(id)) continue;
        followed.delete(id);
        changed.delete(id);
        heard.delete(id);
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
    lose(ids) {
      for (const id of ids) {
        const token = followed.get(id);
        if (token !== undefined) token.book = undefined;
      }
    },
    correct(book) {
      const token = followed.get(book.asset_id);
      if (token === undefined) return false;
      heard.set(book.asset_id, mono());
      const sentAt = plausible(book.timestamp);
      if (sentAt !== null && sentAt < token.sentAt) return false;
      const { top, book: before } = token;
      replace(token, book);
      return before !== undefined && (top.bid !== token.top.bid || top.ask !== token.top.ask);
    },
    answered(ids) {
      for (const id of ids) {
        const token = followed.get(id);
        if (token !== undefined && token.book === undefined && !lookups.hasBook(id)) heard.set(id, mono());
      }
    },
    has: (part) => presentParts.has(part),
    takeHeard(part) {
      const taken = Array.from(heard).filter(([id]) => isIn(part, id));
      for (const [id] of taken) heard.delete(id);
      return Object.fromEntries(taken);
    },
    take(part) {
      const quotes = new Map<number, Quote[]>();
      for (const id of changed) {
        if (!isIn(part, id)) continue;
        changed.delete(id);
        const token = followed.get(id);
        const eventId = eventIds.get(id);
        if (token === undefined || eventId === undefined) continue;
        token.delivered = quoteOf(id, token);
        quotes.set(eventId, [...(quotes.get(eventId) ?? []), token.delivered]);
      }
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
