import * as z from 'zod';
import { timed } from './envelope.ts';
import { count, eventFields, price, probability, timeMs } from './fields.ts';

const shares = z.number().min(0).nullable();

export const minuteMarketRecord = z
  .object({
    title: z.string().meta({ description: 'Label of the bucket, a range of counts.', examples: ['140-159'] }),
    lo: count.meta({ description: 'Lowest count that wins, included.' }),
    hi: count.meta({ description: 'Highest count that wins, included; null when there is no upper bound.' }),
    market_price: price,
    best_bid: price.meta({ description: 'Best bid for a Yes share, 0 to 1; null without one.' }),
    best_ask: price.meta({ description: 'Best ask for a Yes share, 0 to 1; null without one.' }),
    bid_size: shares.meta({ description: 'Shares at the best bid; null while unknown.' }),
    ask_size: shares.meta({ description: 'Shares at the best ask; null while unknown.' }),
    last: price.meta({ description: 'Price of the last trade, 0 to 1; null while unknown.' }),
    volume: z
      .number()
      .min(0)
      .nullable()
      .meta({ description: 'Money traded so far, USD, as the market lists it; null while unknown.' }),
    model_prob: probability.nullable().optional().meta({
      description:
        'PRO: probability that the settled count falls into the bucket, as it was published then; null where it was.',
    }),
  })
  .meta({ description: 'A bucket at one instant.' });

export const minuteRecord = z
  .object({
    ts: timeMs.meta({ description: 'The instant, UTC ms: nothing that came later is in the figures.' }),
    real_counter: count.meta({ description: 'Our own count; null while unknown.' }),
    market_oracle_counter: count.meta({ description: "The oracle's count; null while unknown." }),
    forecast_id: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'PRO: id of the forecast in the ledger; null before the first one.' }),
    markets: z
      .array(minuteMarketRecord)
      .meta({ description: 'The buckets, lowest first, or the one asked for.' }),
  })
  .meta({ description: 'Market and model of an event at one instant.' });

/** Market and model of one event over time. */
export const minutesAnswer = timed({
  event_id: eventFields.event_id,
  event_title: eventFields.event_title,
  start_ts: timeMs.nullable().meta({ description: 'Start of the window, UTC ms; null while unknown.' }),
  end_ts: timeMs.meta({ description: 'End of the window, UTC ms, not included.' }),
  from_ts: timeMs.meta({ description: 'From when on minutes were looked for, UTC ms.' }),
  to_ts: timeMs.meta({ description: 'Until when, UTC ms, not included.' }),
  step: z.int().meta({ description: 'Seconds from one instant to the next, as used.', examples: [60] }),
  limit: z.int().meta({ description: 'The most instants in one answer.', examples: [150] }),
  next_to_ts: timeMs.nullable().meta({
    description:
      'If there are older ones that did not fit: ask again with this as to. Null when there are none.',
  }),
  data: z.array(minuteRecord).meta({
    description: 'The oldest first. There is none for a minute without prices, or in which they were stale.',
  }),
});
