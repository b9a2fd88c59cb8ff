import { z } from 'zod';
import { countersRecord } from './counters.ts';
import { count, price, probability, timeMs } from './fields.ts';

const posts = z.number().min(0);

const forecastRecord = z
  .object({
    p5: posts.meta({ description: 'Final count exceeded with 95 % probability, posts.' }),
    p50: posts.meta({ description: 'Median of the final count, posts.' }),
    p95: posts.meta({ description: 'Final count exceeded with 5 % probability, posts.' }),
  })
  .meta({ description: 'PRO: percentiles of the final count.', examples: [{ p5: 141, p50: 158, p95: 177 }] });

export const predictionMarketRecord = z
  .object({
    title: z.string().meta({ description: 'Label of the bucket, a range of counts.', examples: ['140-159'] }),
    market_price: price,
    token_id: z.string().meta({ description: 'Order-book token of its Yes share.' }),
    lo: count.meta({ description: 'Lowest count that wins, included.' }),
    hi: count.meta({ description: 'Highest count that wins, included; null when there is no upper bound.' }),
    price_ts: timeMs.nullable().meta({ description: 'When the price last changed, UTC ms.' }),
    price_kind: z
      .enum(['mid', 'last', 'ui'])
      .nullable()
      .meta({ description: 'Middle of the book, last trade, or the price on the trading page.' }),
    model_prob: probability
      .nullable()
      .optional()
      .meta({ description: 'PRO: probability that the bucket wins, 0 to 1; 0 once the count is above it.' }),
    edge: z
      .number()
      .nullable()
      .optional()
      .meta({ description: 'PRO: model_prob minus market_price; null while the price is unknown or stale.' }),
    signal: z.enum(['STRONG_BUY', 'BUY', 'SLIGHT_BUY', 'HOLD', 'SELL']).nullable().optional().meta({
      description:
        'PRO: from edge: above 0.15, 0.05, 0.02, from -0.05, else SELL. Null when the edge is null.',
    }),
  })
  .meta({ description: 'A bucket of an event.' });

const changeRecord = z.object({
  cause: z.enum(['new_post', 'post_deleted', 'clock', 'model']).meta({ description: 'Cause of the change.' }),
  p50: z.number().meta({ description: 'Change of the median, posts.' }),
});

/** An active event with its counters and prices and, for PRO, its forecast (spec 2.4). */
export const predictionRecord = z
  .object({
    seconds_remaining: z.int().min(0).meta({ description: 'Seconds until the event closes.' }),
    ...countersRecord.shape,
    velocity_counted_1h: posts
      .nullable()
      .optional()
      .meta({ description: 'PRO, account A: counted posts of the last hour; null while unknown.' }),
    velocity_all_1h: posts.nullable().optional().meta({
      description:
        "PRO, account A: all posts of the last hour; null while unknown, as when posts come from the oracle's list, which holds only counted ones.",
    }),
    forecast: forecastRecord.nullable().optional(),
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
          count: posts.meta({ description: 'Final count, posts.' }),
          prob: z.number().min(0).max(1).meta({ description: 'Its share of the probability, 0 to 1.' }),
        }),
      )
      .nullable()
      .optional()
      .meta({ description: 'PRO: the final count at 101 levels of probability; equal counts are merged.' }),
    flip_risk: probability.nullable().optional().meta({
      description:
        'PRO: probability that late corrections of the oracle change the winner; null while unknown.',
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
      'Forecast, prices and edges of an active event. PRO fields are absent for other tiers, and null for PRO until they are first known.',
  });
