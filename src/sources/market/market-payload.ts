import { z } from 'zod';
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

const listedMarket = z.object({
  conditionId: orNothing(z.string()),
  slug: orNothing(slug),
  groupItemTitle: orNothing(wireText),
  question: orNothing(wireText),
  outcomes: listInText(wireText),
  outcomePrices: listInText(priceText),
  clobTokenIds: listInText(tokenId),
  bestBid: orNothing(price),
  bestAsk: orNothing(price),
  lastTradePrice: orNothing(price),
  closed: z.boolean().nullish(),
  umaResolutionStatus: orNothing(z.string()),
  eventStartTime: orNothing(instant),
});
export type ListedMarket = z.infer<typeof listedMarket>;

export const listedEvent = z.object({
  id: eventId,
  slug,
  title: wireText,
  description: orNothing(wireText),
  image: orNothing(z.string()),
  startDate: orNothing(instant),
  endDate: orNothing(instant),
  startTime: orNothing(instant),
  closed: z.boolean().nullish(),
  seriesSlug: orNothing(z.string()),
  series: z.array(z.object({ slug: orNothing(z.string()) })).nullish(),
  eventMetadata: z.object({ priceToBeat: z.number().positive().nullish() }).nullish(),
  markets: z.array(listedMarket).nullish(),
});
export type ListedEvent = z.infer<typeof listedEvent>;

export const eventList = z.array(listedEvent);
export const eventKeysetPage = z.object({ events: eventList, next_cursor: orNothing(z.string().max(2_000)) });

/** The figure the trading page shows beside an event. */
export const shownCount = z.object({ id: eventId, tweetCount: orNothing(count) });
