import * as z from 'zod';
import { input } from './fields.ts';
import { heldEventRecord, positionsTs, usd } from './portfolio.ts';

export const adjustmentRecord = z.object({
  event_id: z.number().meta({ description: 'Unique id of the market event' }),
  bucket: z.string().meta({ description: 'Label of the outcome bucket held', examples: ['240-259'] }),
  token_id: z.string().meta({ description: 'Order-book token to buy or to sell' }),
  outcome: z.enum(['Yes', 'No']).meta({ description: 'Side held' }),
  action: z.enum(['ADD_MORE', 'TRIM']).meta({ description: 'Buy more, or sell some' }),
  current_value: usd,
  target_value: usd.meta({ description: 'kelly_fraction of the bankroll' }),
  adjustment: usd.meta({ description: 'Amount to buy or sell, USD; at least the threshold' }),
  kelly_fraction: z.number().meta({ description: 'Share of the bankroll to hold, 0 to 0.05' }),
  model_prob: z.number().meta({ description: 'Probability that the side held wins' }),
  current_price: z.number().meta({ description: 'Price per share of the side held' }),
  edge: z.number().meta({ description: 'model_prob minus current_price' }),
  limit_price: z
    .number()
    .nullable()
    .meta({ description: 'Best price of the side to trade with, of the token held' }),
  reasons: z.array(z.string()).meta({ description: 'Reasons in words, for people' }),
});

/** The positions of a wallet in one active event that differ from their target by the threshold or more. */
export const rebalancingRecord = z.object({
  wallet: z.string().meta({ description: 'Address as it was sent' }),
  event: heldEventRecord.nullable().meta({ description: 'Null when no event of the account is active' }),
  bankroll: z.number().meta({ description: 'Bankroll used, USD' }),
  threshold: z.number().meta({ description: 'Smallest adjustment listed, USD' }),
  adjustments: z.array(adjustmentRecord).meta({ description: 'Largest first' }),
  message: z
    .string()
    .optional()
    .meta({ description: 'Why there are no adjustments; only when no event of the account is active' }),
  positions_ts: positionsTs,
  stale: z
    .array(input)
    .meta({ description: 'Inputs past their limit. While there are any, there are no adjustments' }),
});
