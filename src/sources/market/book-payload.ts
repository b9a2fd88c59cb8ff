import { z } from 'zod';
import { decodePayload } from '../read-payload.ts';
import { amountText, orNothing, priceText, tokenId } from '../value-schemas.ts';

/** What the order books' socket and REST interface send. Figures are text; `""` is none. */

const level = z.object({ price: priceText, size: amountText });
const levels = z.array(level).nullish();
const sentAt = orNothing(
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
);

const wireBook = z.object({
  asset_id: tokenId,
  bids: levels,
  asks: levels,
  timestamp: sentAt,
  last_trade_price: orNothing(priceText),
});
export type WireBook = z.infer<typeof wireBook>;
export const wireBooks = z.array(wireBook);

/** Undefined where the field is absent, null where it says that there is none. */
const best = z.union([z.literal('').transform(() => null), priceText]).nullish();

const bookMessage = wireBook.extend({ event_type: z.literal('book') });
const changeMessage = z.object({
  event_type: z.literal('price_change'),
  timestamp: sentAt,
  price_changes: z.array(
    level.extend({ asset_id: tokenId, side: z.enum(['BUY', 'SELL']), best_bid: best, best_ask: best }),
  ),
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
export type BookEvent = z.infer<typeof bookEvent>;

const READ_TYPES = new Set(['book', 'price_change', 'best_bid_ask', 'last_trade_price']);
const anyEvent = z.looseObject({ event_type: z.string() });

/** The events of one frame, which holds one or a list. Types we have no use for are left out. */
export function bookEvents(
  payload: unknown,
): { readonly value: readonly BookEvent[] } | { readonly reason: string } {
  const events: BookEvent[] = [];
  for (const element of Array.isArray(payload) ? payload : [payload]) {
    const typed = decodePayload(anyEvent, element);
    if ('reason' in typed) return typed;
    if (!READ_TYPES.has(typed.value.event_type)) continue;
    const decoded = decodePayload(bookEvent, element);
    if ('reason' in decoded) return decoded;
    events.push(decoded.value);
  }
  return { value: events };
}
