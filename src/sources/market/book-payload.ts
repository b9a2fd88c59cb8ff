import * as z from 'zod';
import { decodeEach } from '../read-payload.ts';
import { amountText, orNothing, priceText, tokenId } from '../value-schemas.ts';

/** What the order books' socket and REST interface send. Figures are text; `""` is none. */

const level = z.object({ price: priceText, size: amountText });
const bids = z.array(level).nullish();
// An ask above 1 cannot be the best one and nobody would take it, so it is left out. No other level is: without the
// best one a book would show a wrong price, so a book with a level that cannot be read is refused.
const asks = z
  .array(z.object({ price: amountText, size: amountText }))
  .transform((levels) => levels.filter(({ price }) => price <= 1))
  .nullish();
const sentAt = orNothing(
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
);

export const wireBook = z.object({
  asset_id: tokenId,
  bids,
  asks,
  timestamp: sentAt,
  last_trade_price: orNothing(priceText).catch(null),
});
export type WireBook = z.infer<typeof wireBook>;

/** Undefined where the field is absent, null where it says that there is none. */
const best = z.union([z.literal('').transform(() => null), priceText]).nullish();
// Beside a level a best price that cannot be read is as good as absent: the book has one of its own.
const bestBeside = best.catch(undefined);

const bookMessage = wireBook.extend({ event_type: z.literal('book') });
const changeMessage = z.object({
  event_type: z.literal('price_change'),
  timestamp: sentAt,
  price_changes: z.array(z.unknown()),
});
const priceChange = level.extend({
  asset_id: tokenId,
  side: z.enum(['BUY', 'SELL']),
  best_bid: bestBeside,
  best_ask: bestBeside,
});
const topMessage = z.object({
  event_type: z.literal('best_bid_ask'),
  timestamp: sentAt,
  asset_id: tokenId,
  best_bid: best,
  best_ask: best,
});
const tradeMessage = z.object({
  event_type: z.literal('last_trade_price'),
  timestamp: sentAt,
  asset_id: tokenId,
  price: priceText,
});

const bookEvent = z.discriminatedUnion('event_type', [bookMessage, changeMessage, topMessage, tradeMessage]);
type WireEvent = z.infer<typeof bookEvent>;

export interface PriceChanges extends Omit<z.infer<typeof changeMessage>, 'price_changes'> {
  readonly price_changes: readonly z.infer<typeof priceChange>[];
}
export type BookEvent = Exclude<WireEvent, { event_type: 'price_change' }> | PriceChanges;

const READ_TYPES = new Set(['book', 'price_change', 'best_bid_ask', 'last_trade_price']);
const anyEvent = z.looseObject({ event_type: z.string() });

/**
 * The events of one frame, which holds one or a list, and why others of it are refused. Types we have no use for are
 * left out.
 */
export function bookEvents(payload: unknown): {
  readonly events: readonly BookEvent[];
  readonly reasons: readonly string[];
} {
  const typed = decodeEach(anyEvent, Array.isArray(payload) ? payload : [payload]);
  const decoded = decodeEach(
    bookEvent,
    typed.values.filter(({ event_type }) => READ_TYPES.has(event_type)),
  );
  const reasons = [...typed.reasons, ...decoded.reasons];
  const events = decoded.values.map((event): BookEvent => {
    if (event.event_type !== 'price_change') return event;
    const changes = decodeEach(priceChange, event.price_changes);
    reasons.push(...changes.reasons);
    return { ...event, price_changes: changes.values };
  });
  return { events, reasons };
}
