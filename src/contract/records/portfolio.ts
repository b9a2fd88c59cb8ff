import * as z from 'zod';
import { input } from './fields.ts';

export const usd = z.number().meta({ description: 'USD, to the cent' });
const percent = z.number().meta({ description: 'Percent, 2 decimals' });
const price = z.number().min(0).max(1);
export const positionsTs = z
  .number()
  .nullable()
  .meta({ description: 'When the positions were read from the market, UTC ms: at most 5 minutes ago' });

/** The event of a portfolio or of its rebalancing (spec 2.6). */
export const heldEventRecord = z.object({
  id: z.number().meta({ description: 'Unique id of the market event' }),
  title: z.string().meta({ description: 'Title of the event on the market' }),
  end_ts: z.number().meta({ description: 'End of the window, UTC ms' }),
});

const count = z.number().nullable();

export const heldPredictionRecord = z.object({
  p5: count.meta({ description: 'Percentile of the count that settles; null before the first forecast' }),
  p50: count.meta({ description: 'Median of the count that settles' }),
  p95: count.meta({ description: 'Percentile of the count that settles' }),
  real_counter: count.meta({ description: 'Our own count; null while posts of the window may be missing' }),
  seconds_remaining: z.number().meta({ description: 'Seconds until the window ends' }),
  velocity_counted_1h: count.meta({ description: 'Counted posts of the last hour; null while unknown' }),
  forecast_id: z.string().nullable().meta({ description: 'Id of the forecast behind these figures' }),
  forecast_ts: count.meta({ description: 'When that forecast was made, UTC ms' }),
});

export const analysisRecord = z.object({
  win_probability: price.nullable().meta({
    description:
      'Probability that the side held wins, by the model; for No it is 1 minus that of Yes. Null without a forecast of the bucket',
  }),
  market_implied: price.meta({ description: 'Equals current_price' }),
  edge: z.number().nullable().meta({
    description:
      'win_probability minus market_implied; null when either is unknown, or posts, prices or the forecast are stale',
  }),
  edge_percent: percent.nullable().meta({
    description: 'edge in percent of the price; at a price of 0 it is 0, or 100 with the sign of the edge',
  }),
  signal: z
    .enum(['STRONG_BUY', 'BUY', 'HOLD', 'AVOID', 'SELL'])
    .nullable()
    .meta({ description: 'From edge_percent: above 30, 10, 0, -10, else SELL. Null when the edge is null' }),
  recommendation: z.enum(['STRONG_HOLD', 'HOLD', 'MONITOR', 'CONSIDER_SELLING']).nullable().meta({
    description: 'From edge: above 0.20, 0.05, -0.05, else CONSIDER_SELLING. Null when the edge is null',
  }),
});

export const sizingRecord = z.object({
  kelly_fraction: z.number().nullable().meta({
    description:
      'Share of the bankroll to hold, as in signals; all fields are null where signals says SKIP and while the edge is unknown',
  }),
  target_value: usd.nullable().meta({
    description:
      'kelly_fraction of the bankroll, USD; null where signals says HOLD, as then neither buying nor selling is worth its costs',
  }),
  adjustment: usd.nullable().meta({
    description:
      'What to trade, never negative: the distance from current_value to target_value, or what the book holds at limit_price if that is less',
  }),
  action: z.enum(['ADD_MORE', 'TRIM', 'HOLD']).nullable().meta({
    description:
      'ADD_MORE only where signals says BUY; TRIM where it says SELL or more than the target is held; HOLD when the adjustment is below 5 USD',
  }),
  limit_price: price.nullable().meta({
    description:
      'Best price of the side to trade with, of the token held; null when there is nothing to trade',
  }),
});

export const positionRecord = z.object({
  event_id: z.string().meta({ description: 'Event id as a string' }),
  bucket: z.string().meta({ description: 'Label of the outcome bucket held', examples: ['240-259'] }),
  outcome: z.enum(['Yes', 'No']).meta({ description: 'Side held' }),
  token_id: z.string().meta({ description: 'Order-book token held: the one to sell' }),
  tokens: z.number().meta({ description: 'Shares held; positions of less than one share are omitted' }),
  avg_price: price.meta({ description: 'Average purchase price per share' }),
  cost_basis: usd,
  current_price: price.meta({ description: 'Price per share of the side held' }),
  current_value: usd,
  pnl: usd.meta({ description: 'current_value minus cost_basis' }),
  pnl_percent: percent.meta({
    description: 'pnl in percent of the cost; at a cost of 0 it is 0, or 100 with the sign of pnl',
  }),
  mergeable: z.boolean().meta({ description: 'Both sides of the bucket are held' }),
  analysis: analysisRecord,
  sizing: sizingRecord.optional().meta({ description: 'Only when a bankroll was given' }),
});

const portfolioTotalsRecord = z.object({
  total_positions: z.number().meta({ description: 'Positions listed' }),
  total_cost: usd,
  current_value: usd,
  total_pnl: usd,
  total_pnl_percent: percent,
});

/** The positions of a wallet in one active event; a record without an event when none is active (spec 2.6). */
export const portfolioRecord = z.object({
  wallet: z.string().meta({ description: 'Address as it was sent' }),
  event: heldEventRecord.nullable().meta({ description: 'Null when no event of the account is active' }),
  prediction: heldPredictionRecord.nullable().meta({ description: 'Null when event is null' }),
  positions: z.array(positionRecord),
  portfolio: portfolioTotalsRecord.meta({ description: 'Sums of the positions listed' }),
  message: z
    .string()
    .optional()
    .meta({ description: 'Why there are no positions; only when no event of the account is active' }),
  positions_ts: positionsTs,
  stale: z
    .array(input)
    .meta({ description: 'Inputs past their limit. While there are any, there is no sizing' }),
});
