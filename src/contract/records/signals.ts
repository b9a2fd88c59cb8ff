import * as z from 'zod';
import { crossingRecord } from './crossings.ts';
import { count, eventFields, input, price, probability, timeMs } from './fields.ts';

const usd = z.number().min(0);
export const level = z.enum(['HIGH', 'MEDIUM', 'LOW']);
const bucket = z.string().meta({ description: 'Label of the outcome bucket.', examples: ['200-219'] });
const tokenId = z.string().meta({ description: 'Order-book token of its Yes share, for trade execution.' });
const edge = z.number().nullable().meta({
  description: 'model_prob minus market_price; positive means undervalued. Null when either is null.',
});
const mean = z.number().nullable();

const kellyFraction = z.number().min(0).max(0.05);
const availableUsd = usd
  .nullable()
  .meta({ description: 'What the book holds at limit_price, USD; null while it is not known.' });
const cut = z
  .array(
    z.object({
      by: z.enum(['event_cap', 'unproven', 'account_cap', 'depth', 'minimum']).meta({
        description:
          'event_cap: 0.05 of the bankroll for all bets of an event. unproven: half where the model was not shown to be better than the market. account_cap: 0.10 for all open events of the account. depth: the book holds no more at limit_price. minimum: less than a cent, or than 0.0001 of the bankroll.',
      }),
      fraction: z.number().min(0).meta({ description: 'Share of the bankroll taken off.' }),
    }),
  )
  .meta({ description: 'What was taken off a quarter of kelly_full, in this order.' });

export const buyNoRecord = z
  .object({
    token_id: z.string().meta({ description: 'Order-book token of its No share.' }),
    model_prob: probability.meta({ description: 'Probability that No wins: 1 minus that of Yes.' }),
    edge_net: z
      .number()
      .meta({ description: 'model_prob minus limit_price and the taker fee at that price.' }),
    kelly_full: z
      .number()
      .min(0)
      .max(1)
      .meta({ description: 'The whole optimal-growth fraction at limit_price with the fee.' }),
    limit_price: z
      .number()
      .min(0)
      .max(1)
      .meta({ description: 'Price of a No share: 1 minus best_bid of Yes.' }),
    available_usd: availableUsd,
    kelly_fraction: kellyFraction.meta({
      description: 'Share of the bankroll, sized as a bet on Yes is; it shares the caps.',
    }),
    suggested_bet: usd.meta({ description: 'kelly_fraction of the bankroll, USD.' }),
    cut,
  })
  .meta({
    description:
      'The bet on No where the action is SELL: the same trade, for someone who holds no Yes. Its price is 1 minus best_bid, for as many shares as are bid for. An account whose signals only buy has it beside HOLD. Null otherwise.',
  });

/** One bucket, for one bankroll (spec 2.5). */
export const signalRecord = z
  .object({
    bucket,
    token_id: tokenId,
    action: z.enum(['BUY', 'SELL', 'HOLD', 'SKIP']).meta({
      description:
        'BUY: edge above 0.05, still positive after costs. SELL: edge of -0.05 or less and the best bid pays more than the model expects, or a count has passed the bucket; an account whose signals only buy says HOLD instead. HOLD: between, or there is nobody to trade with. SKIP: cannot be decided, see reason_codes.',
    }),
    strategy: z
      .enum(['TWO_BUCKET', 'SINGLE_BUCKET', 'RISK_MANAGEMENT'])
      .nullable()
      .meta({ description: 'Strategy of the BUY or SELL order that contains the bucket.' }),
    model_prob: probability.nullable().meta({
      description: 'Probability that the bucket wins, 0 to 1; null without a forecast of fresh posts.',
    }),
    market_price: price.meta({
      description: 'Price of a Yes share, 0 to 1; null while stale or without a quote.',
    }),
    edge,
    edge_net: z.number().nullable().meta({
      description:
        'model_prob minus best_ask and the taker fee at that price, which is fee_rate times p (1 - p) unless the market says otherwise; null while there is no seller.',
    }),
    ev: z
      .number()
      .min(-1)
      .nullable()
      .meta({ description: 'Expected value per 1 USD bet at market_price: model_prob / market_price - 1.' }),
    kelly_fraction: kellyFraction.meta({
      description:
        'Share of the bankroll used: a quarter of the optimal-growth fraction at best_ask with the fee, less what is cut; 0 unless the action is BUY.',
    }),
    suggested_bet: usd.meta({
      description: 'kelly_fraction of the bankroll, USD, rounded down to the cent.',
    }),
    kelly_full: z.number().min(0).max(1).nullable().meta({
      description: 'The whole optimal-growth fraction at best_ask with the fee; null while unknown.',
    }),
    limit_price: price.meta({
      description: 'Price to trade at: best_ask of a BUY, best_bid of a SELL; null otherwise.',
    }),
    available_usd: availableUsd,
    cut,
    proven: z
      .boolean()
      .meta({ description: 'Whether the model was shown to be better than the market at this horizon.' }),
    confidence: level.meta({
      description:
        'How well calibrated settled forecasts at this horizon were, live and back-filled as track_record counts them, not how large the edge is; LOW unless proven.',
    }),
    moneyness: z.number().min(0).max(1).nullable().meta({
      description: 'How deep p50 falls into the bucket: 0 at its edges and outside, 1 at the centre.',
    }),
    time_confidence: level.meta({ description: 'HIGH under 24 h to the close, MEDIUM to 48 h, LOW beyond.' }),
    asymmetry_edge: count.meta({
      description:
        'Oracle counter minus UI counter; positive means the UI lags. Null while either is unknown.',
    }),
    best_bid: price.meta({ description: 'Best bid for a Yes share; null without one.' }),
    best_ask: price.meta({ description: 'Best ask for a Yes share; null without one.' }),
    bid_size: z.number().min(0).nullable().meta({ description: 'Shares at best_bid; null while not known.' }),
    ask_size: z.number().min(0).nullable().meta({ description: 'Shares at best_ask; null while not known.' }),
    fee_rate: z.number().min(0).max(1).meta({
      description:
        'Rate of the taker fee as the market states it, 0 without one; 0.05 where it does not say.',
    }),
    buy_no: buyNoRecord.nullable(),
    reason_codes: z.array(z.string()).meta({ description: 'Reasons for the action, for programs.' }),
    reasons: z.array(z.string()).meta({
      description: 'Reasons for the action, for people.',
      examples: [['p50 212 sits in the middle of 200-219; market pays 0.31, model says 0.44']],
    }),
    bankroll: usd.meta({ description: 'Bankroll used, USD.' }),
  })
  .meta({ description: 'What to do about one bucket.' });

export const buyOrderRecord = z
  .object({
    strategy: z
      .enum(['TWO_BUCKET', 'SINGLE_BUCKET'])
      .meta({ description: 'Two neighbouring buckets, or one bucket of high conviction.' }),
    buckets: z.array(bucket).meta({
      description:
        'TWO_BUCKET: the predicted bucket and the one below it. SINGLE_BUCKET: one bucket worth buying, of a model_prob of 0.5 or more.',
    }),
    token_ids: z.array(tokenId).meta({ description: 'Their Yes tokens.' }),
    stake_fraction: z.number().meta({
      description:
        'Share of the bankroll: 0.05 for two and 0.02 for one, or less where it is cut as bets are.',
    }),
    stake_usd: usd.meta({
      description: 'The stake in USD. It replaces the suggested bets of the event.',
    }),
    stakes_usd: z
      .array(usd)
      .meta({ description: 'The stake of each bucket, in proportion to their best_ask.' }),
    measured_win_rate: z.number().min(0).max(100).nullable().meta({
      description:
        'Percent of our own settled orders of this strategy and account that won, given live, each event once; null below 30 events.',
    }),
    sample_size: z.int().min(0).meta({ description: 'Settled events behind the rate.' }),
    n_unproven: z.int().min(0).meta({
      description: 'Those at a horizon where the model had not been shown to be better than the market.',
    }),
  })
  .meta({ description: 'What to buy of an event.' });

export const sellOrderRecord = z
  .object({
    strategy: z.literal('RISK_MANAGEMENT').meta({ description: 'Close a position with a negative edge.' }),
    bucket,
    token_id: tokenId,
    edge,
    limit_price: price.meta({ description: 'best_bid.' }),
    available_usd: availableUsd,
    buy_no: buyNoRecord.nullable(),
  })
  .meta({ description: 'What to sell, if it is held; if not, buy_no is the same trade.' });

export const trackRecord = z
  .object({
    horizon: z.int().nullable().meta({ description: 'Hours before the close: 24, 48 or 72; null beyond.' }),
    sample_size: z.int().min(0).meta({ description: 'Settled events of the account, the last 200 at most.' }),
    n_live: z.int().min(0).meta({ description: 'Those whose forecast was published before the outcome.' }),
    n_backfilled: z.int().min(0).meta({
      description: 'Those whose forecast was made later, from what was known at its time.',
    }),
    n_market: z.int().min(0).meta({ description: 'Those with market prices beside the forecast.' }),
    proven_against: z.array(z.enum(['pace', 'market'])).meta({
      description:
        'What the model was better than by more than chance explains: a constant pace over 10 or more events, live or back-filled; the market over 30 or more live ones with prices.',
    }),
    coverage90: mean.meta({ description: 'Share of final counts inside p5 to p95.' }),
    top_bucket_hit_rate: mean.meta({ description: 'Share of events won by the most probable bucket.' }),
    top_bucket_mean_prob: mean.meta({ description: 'Mean probability of that bucket.' }),
    crps_difference_pace: mean.meta({
      description: 'CRPS minus that of a constant pace, posts; below 0 is better.',
    }),
    log_score_difference_market: mean.meta({
      description: "Log score minus the market's, where prices were known; below 0 is better.",
    }),
    market_sample_size: z.int().min(0).meta({ description: 'The same as n_market.' }),
  })
  .meta({ description: 'How forecasts at this horizon did on settled events.' });

/** What to do about one active event (spec 2.5). */
export const signalsRecord = z
  .object({
    event_id: eventFields.event_id,
    event_title: eventFields.event_title,
    event_slug: eventFields.event_slug,
    end_ts: timeMs.meta({ description: 'End of the window, UTC ms.' }),
    forecast_id: z
      .string()
      .nullable()
      .meta({ description: 'Id of the forecast behind the signals; null before the first forecast.' }),
    p50: z.number().nullable().meta({ description: 'Median of the count that settles, posts.' }),
    stale: z
      .array(input)
      .meta({ description: 'Inputs past their limit. While there are any, every action is SKIP.' }),
    proven: z.boolean().meta({
      description:
        'Whether the model was shown to be better than the market at this horizon, by live forecasts; track_record.proven_against says what was shown. If not, bets have half their size, confidence is LOW, and with include_unproven=false actions are SKIP.',
    }),
    track_record: trackRecord.nullable(),
    signals: z.array(signalRecord).meta({
      description:
        'First the buckets that a count has passed and somebody still bids for, then those that can still win, best edge first.',
    }),
    BUY: z
      .array(buyOrderRecord)
      .meta({ description: 'At most one order; empty when there is nothing to buy.' }),
    SELL: z.array(sellOrderRecord).meta({ description: 'Empty when there is nothing to sell.' }),
    crossings: z.array(crossingRecord).meta({
      description:
        'What our own count knows before the oracle and the market do, by `kind`, as of as_of.ts: in the order count_left_bucket (the highest gain_usd first), oracle_stalled, near_edge, flip_likely. Empty when there is nothing of the kind, and while `stale` is not.',
    }),
  })
  .meta({ description: 'Trading signals of an active event: estimates of a model, no promise of profit.' });
