import * as z from 'zod';
import {
  count,
  instant,
  listInText,
  orNothing,
  price,
  priceText,
  slug,
  tokenId,
  wireText,
} from '../value-schemas.ts';

/** What the market's listing sends. Nearly every field may be absent there; what an event needs is checked later. */

const eventId = z
  .union([
    z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number),
    z.number(),
  ])
  .pipe(count);

// Most listed events are of others, and anything may be odd in them: each event is decoded by itself, and only when
// it is one of ours.
export const eventList = z.array(z.unknown());
export const eventKeysetPage = z.object({ events: eventList, next_cursor: orNothing(z.string().max(2_000)) });
export const eventDocument = z.looseObject({});

const readable = <T>(schema: z.ZodType<T>) => schema.nullable().catch(null);
const name = readable(z.string());
const NOTHING = { id: null, slug: null, seriesSlug: null, series: [], eventMetadata: null };

/** As much of a listed event as says whose it is. It takes any value: a part that cannot be read is null. */
export const eventSketch = z
  .object({
    id: readable(eventId),
    slug: name,
    seriesSlug: name,
    series: z.array(z.object({ slug: name }).catch({ slug: null })).catch([]),
    eventMetadata: readable(z.object({ priceToBeat: readable(z.number().positive()) })),
  })
  .catch(NOTHING);
export type EventSketch = z.infer<typeof eventSketch>;

// A price that cannot be read is an unknown price, and costs neither the bucket nor the event.
const listedPrice = orNothing(price).catch(null);
const listedMoney = orNothing(z.number().nonnegative()).catch(null);

/** Beyond these nobody would trade, and the power is made of multiplications. */
const feeSchedule = z.object({ rate: z.number().min(0).max(1), exponent: z.int().min(1).max(4) });

const listedMarket = z.object({
  conditionId: orNothing(z.string()),
  slug: orNothing(slug),
  groupItemTitle: orNothing(wireText),
  question: orNothing(wireText),
  outcomes: listInText(wireText),
  outcomePrices: listInText(readable(priceText)).catch(null),
  clobTokenIds: listInText(tokenId),
  bestBid: listedPrice,
  bestAsk: listedPrice,
  lastTradePrice: listedPrice,
  volumeNum: listedMoney,
  feesEnabled: readable(z.boolean()),
  feeSchedule: readable(feeSchedule),
  closed: z.boolean().nullish(),
  umaResolutionStatus: orNothing(z.string()),
  eventStartTime: orNothing(instant),
});
export type ListedMarket = z.infer<typeof listedMarket>;

/** One event of ours, with all of its markets or not at all. */
export const listedEvent = z.object({
  id: eventId,
  slug,
  title: wireText,
  description: orNothing(wireText),
  image: orNothing(z.string()).catch(null),
  startDate: orNothing(instant),
  endDate: orNothing(instant),
  startTime: orNothing(instant),
  closed: z.boolean().nullish(),
  markets: z.array(listedMarket).nullish(),
});
export type ListedEvent = z.infer<typeof listedEvent>;

/** The trading page's document of an event. */
export const shownEvent = z.object({ id: eventId, tweetCount: z.unknown().optional() });
export type ShownEvent = z.infer<typeof shownEvent>;
/** The figure that the page shows; null where it shows none. */
export const shownCount = orNothing(count);
