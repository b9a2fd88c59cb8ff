import { ageOf, type Output, type Price, type TakerFee, type TickAges } from '../../../streams/internal.ts';

/** A token that can be traded. */
interface Listing {
  readonly eventId: number;
  /** Whose posts the event counts, or the symbol of a crypto event. */
  readonly owner: string;
  readonly title: string;
  readonly yesToken: string;
  readonly noToken: string;
  readonly isYes: boolean;
  /** Undefined where the market does not say. */
  readonly fee: TakerFee | undefined;
}

/** The best offer to somebody who buys or sells a token. */
export interface Level {
  readonly price: number;
  /** Shares; null when it is not known. */
  readonly size: number | null;
  /** The latest time at which it was known to hold. UTC ms. */
  readonly knownAt: number;
  /** The side of the book that it is on, and how many records of that book there were. A Yes and its No share one book. */
  readonly place: string;
  readonly version: number;
}

type TradeSide = 'BUY' | 'SELL';

/** The market as of the last record. */
export interface Market {
  listing(token: string): Listing | undefined;
  /** Undefined when nobody offers. */
  level(token: string, side: TradeSide): Level | undefined;
  /** The price of a Yes token, and the latest time at which it was known to hold. */
  price(yesToken: string): { readonly price: number; readonly knownAt: number } | undefined;
  /** What a share was settled at, 1 or 0; undefined before. */
  payout(token: string): number | undefined;
  /** The Yes tokens of an event, lowest bucket first. */
  yesTokens(eventId: number): readonly string[];
}

interface Quoted {
  readonly price: Price;
  readonly time: number;
  readonly version: number;
}

/** Follows the records, each in its turn. `time` never goes back, whatever the calendar does. */
interface FollowedMarket extends Market {
  /** Returns the tokens that this record settles. */
  apply(time: number, output: Output): readonly string[];
}

export function createMarket(): FollowedMarket {
  const listings = new Map<string, Listing>();
  const tokensByEvent = new Map<number, readonly string[]>();
  /** Lower bounds of the buckets, by Yes token. */
  const bounds = new Map<string, number>();
  const quotes = new Map<string, Quoted>();
  const payouts = new Map<string, number>();
  let tick: { readonly ages: TickAges; readonly time: number } | null = null;

  /** An answer without news of a book says that it is as it was. */
  function knownAt(eventId: number, quoted: Quoted): number {
    const age = tick === null ? undefined : ageOf(tick.ages, 'prices', String(eventId));
    return tick === null || age === undefined ? quoted.time : Math.max(quoted.time, tick.time - age);
  }

  function list(
    eventId: number,
    owner: string,
    buckets: readonly {
      readonly title: string;
      readonly lo: number | null;
      readonly yesToken: string;
      readonly noToken: string;
      readonly fee?: TakerFee;
    }[],
  ): void {
    const ascending = buckets.toSorted((a, b) => (a.lo ?? 0) - (b.lo ?? 0));
    tokensByEvent.set(
      eventId,
      ascending.map(({ yesToken }) => yesToken),
    );
    for (const { title, lo, yesToken, noToken, fee } of buckets) {
      const common = { eventId, owner, title, yesToken, noToken, fee };
      bounds.set(yesToken, lo ?? 0);
      listings.set(yesToken, { ...common, isYes: true });
      if (noToken !== '') listings.set(noToken, { ...common, isYes: false });
    }
  }

  /** The first outcome counts: a position that was paid is gone. */
  function settle(yesToken: string, hasWon: boolean): readonly string[] {
    const noToken = listings.get(yesToken)?.noToken ?? '';
    if (payouts.has(yesToken)) return [];
    payouts.set(yesToken, hasWon ? 1 : 0);
    if (noToken === '') return [yesToken];
    payouts.set(noToken, hasWon ? 0 : 1);
    return [yesToken, noToken];
  }

  return {
    listing: (token) => listings.get(token),
    price(yesToken) {
      const quoted = quotes.get(yesToken);
      if (quoted === undefined || quoted.price.price === null) return undefined;
      return { price: quoted.price.price, knownAt: knownAt(quoted.price.eventId, quoted) };
    },
    payout: (token) => payouts.get(token),
    yesTokens: (eventId) => tokensByEvent.get(eventId) ?? [],
    level(token, side) {
      const listing = listings.get(token);
      const quoted = listing && quotes.get(listing.yesToken);
      if (listing === undefined || quoted === undefined) return undefined;
      const { bid, ask, bidSize, askSize } = quoted.price;
      // Whoever buys No takes the bid for Yes, and whoever sells No its ask.
      const isAsk = listing.isYes === (side === 'BUY');
      const price = isAsk ? ask : bid;
      if (price === null || price <= 0 || price >= 1) return undefined;
      return {
        price: listing.isYes ? price : 1 - price,
        size: isAsk ? askSize : bidSize,
        knownAt: knownAt(listing.eventId, quoted),
        place: `${listing.yesToken} ${isAsk ? 'ask' : 'bid'}`,
        version: quoted.version,
      };
    },
    apply(time, output) {
      switch (output.stream) {
        case 'prices': {
          const { token } = output.record;
          quotes.set(token, {
            price: output.record,
            time,
            version: (quotes.get(token)?.version ?? 0) + 1,
          });
          return [];
        }
        case 'freshness':
          tick = { ages: output.record, time };
          return [];
        case 'signals': {
          const { eventId, account, buckets } = output.record;
          // A log whose beginning was dropped has no record of an event that was listed then.
          if (!tokensByEvent.has(eventId) && buckets.length > 0)
            list(
              eventId,
              account,
              buckets.map(({ token, ...bucket }) => ({ ...bucket, yesToken: token })),
            );
          return [];
        }
        case 'events': {
          const { eventId, subject, buckets } = output.record;
          list(eventId, subject.type === 'posts' ? subject.account : subject.symbol, buckets);
          return buckets.flatMap(({ yesToken, won }) => (won === null ? [] : settle(yesToken, won)));
        }
        case 'scores': {
          const { record } = output;
          if (record.status !== 'settled' || record.wonLo === null) return [];
          const tokens = tokensByEvent.get(record.eventId) ?? [];
          return tokens.flatMap((token) => settle(token, bounds.get(token) === record.wonLo));
        }
        default:
          return [];
      }
    },
  };
}
