import * as z from 'zod';
import { countersRecord } from './counters.ts';
import { count, price, probability, timeMs } from './fields.ts';

const posts = z.number().min(0);

const forecastRecord = z
  .object({
    p5: posts.meta({ description: 'Settled count exceeded with 95 % probability, posts.' }),
    p50: posts.meta({ description: 'Median of the settled count, posts.' }),
    p95: posts.meta({ description: 'Settled count exceeded with 5 % probability, posts.' }),
  })
  .meta({
    description: "PRO: percentiles of the count that settles the event, which is the oracle's final count.",
    examples: [{ p5: 141, p50: 158, p95: 177 }],
  });

const offset = z.int();

const settlementRecord = z
  .object({
    offset_p5: offset.meta({ description: 'Offset exceeded with 95 % probability, posts.' }),
    offset_p50: offset.meta({ description: 'Median of the offset, posts.' }),
    offset_p95: offset.meta({ description: 'Offset exceeded with 5 % probability, posts.' }),
  })
  .meta({
    description:
      "PRO: percentiles of the offset: the oracle's final count, which settles, minus our own final count. Below 0 where the oracle misses posts that we count.",
    examples: [{ offset_p5: -2, offset_p50: 0, offset_p95: 0 }],
  });

export const predictionMarketRecord = z
  .object({
    title: z.string().meta({ description: 'Label of the bucket, a range of counts.', examples: ['140-159'] }),
    market_price: price,
    token_id: z.string().meta({ description: 'Order-book token of its Yes share.' }),
    lo: count.meta({
      description: 'Lowest count that wins, included; null when the label is not understood as a range.',
    }),
    hi: count.meta({ description: 'Highest count that wins, included; null when there is no upper bound.' }),
    price_ts: timeMs.nullable().meta({ description: 'When the price last changed, UTC ms.' }),
    price_kind: z
      .enum(['mid', 'last', 'ui'])
      .nullable()
      .meta({ description: 'Middle of the book, last trade, or the price on the trading page.' }),
    best_bid: price.meta({ description: 'Best bid for a Yes share; null without one.' }),
    best_ask: price.meta({ description: 'Best ask for a Yes share; null without one.' }),
    bid_size: z.number().min(0).nullable().meta({ description: 'Shares at best_bid; null while not known.' }),
    ask_size: z.number().min(0).nullable().meta({ description: 'Shares at best_ask; null while not known.' }),
    model_prob: probability.nullable().optional().meta({
      description:
        "PRO: probability that the settled count falls into the bucket, 0 to 1; 0 only once the oracle's count is above it. Null until the first forecast, and for a moment after our own count has passed the bucket, until the next one.",
    }),
    edge: z.number().nullable().optional().meta({
      description:
        'PRO: model_prob minus market_price, as in signals; null while the price is unknown, or prices, posts or the forecast are stale.',
    }),
    signal: z.enum(['STRONG_BUY', 'BUY', 'SLIGHT_BUY', 'HOLD', 'SELL']).nullable().optional().meta({
      description:
        'PRO: the action of signals for the default bankroll in one word. BUY there is STRONG_BUY above an edge of 0.15, else BUY; SELL there is SELL, so never for an account whose signals only buy; HOLD there is SLIGHT_BUY above 0.02 if costs leave something, else HOLD; SKIP there is HOLD. Null when the edge is null.',
    }),
  })
  .meta({ description: 'A bucket of an event.' });

const changeRecord = z.object({
  cause: z
    .enum(['new_post', 'post_deleted', 'oracle', 'clock', 'model'])
    .meta({ description: 'Cause of the change.' }),
  p50: z.number().meta({ description: 'Change of the median of the settled count, posts.' }),
});

/** An active event with its counters and prices and, for PRO, its forecast (spec 2.4). */
export const predictionRecord = z
  .object({
    seconds_remaining: z.int().min(0).meta({ description: 'Seconds until the event closes.' }),
    ...countersRecord.shape,
    velocity_counted_1h: posts.nullable().optional().meta({
      description: 'PRO, accounts with velocity: counted posts of the last hour; null while unknown.',
    }),
    velocity_all_1h: posts.nullable().optional().meta({
      description:
        "PRO, accounts with velocity: all posts of the last hour; null while unknown, as when posts come from the oracle's list, which holds only counted ones.",
    }),
    forecast: forecastRecord.nullable().optional(),
    settlement: settlementRecord.nullable().optional(),
    sleep_probability: probability
      .nullable()
      .optional()
      .meta({ description: 'PRO: probability that the account is asleep, 0 to 1.' }),
    model_version: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'PRO: version of the formulas and of the fit behind the forecast.' }),
    forecast_id: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'PRO: id of the forecast in the ledger.' }),
    forecast_ts: timeMs
      .nullable()
      .optional()
      .meta({ description: 'PRO: when the forecast was made, UTC ms.' }),
    distribution: z
      .array(
        z.object({
          count: posts.meta({ description: 'Settled count, posts.' }),
          prob: z.number().min(0).max(1).meta({ description: 'Its share of the probability, 0 to 1.' }),
        }),
      )
      .nullable()
      .optional()
      .meta({ description: 'PRO: the settled count at 101 levels of probability; equal counts are merged.' }),
    flip_risk: probability.nullable().optional().meta({
      description:
        "PRO: probability that the bucket that settles is not the one that both the oracle's count and our own count show at the close; null while the oracle's lag is unknown.",
    }),
    moved: z
      .array(changeRecord)
      .nullable()
      .optional()
      .meta({ description: 'PRO: why the forecast differs from the one before.' }),
    markets: z.array(predictionMarketRecord).meta({ description: 'The buckets, lowest first.' }),
  })
  .meta({
    description:
      'Forecast, prices and edges of an active event. PRO fields are absent for other tiers, unless the free_fields of the account name them, and null until they are first known.',
  });
