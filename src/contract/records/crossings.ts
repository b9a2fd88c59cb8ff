import * as z from 'zod';
import { count, price, probability, timeMs } from './fields.ts';
import { percentilesRecord } from './lag.ts';

const bucket = z.string().meta({ description: 'Label of the outcome bucket.', examples: ['120-139'] });
const tokenId = z.string().meta({ description: 'Order-book token of its Yes share.' });
const shares = z.number().min(0).nullable();
const usd = z.number().nullable();

const KIND = 'Tells the kinds of crossings apart.';

/** What every crossing says. */
const facts = {
  text: z.string().meta({ description: 'The same in a sentence, for people.' }),
  real_counter: count.meta({ description: 'Our own count.' }),
  market_oracle_counter: count.meta({ description: "The settlement oracle's count." }),
  market_ui_counter: count.meta({ description: "The trading page's count; null while unknown." }),
  oracle_lag: percentilesRecord.meta({
    description:
      'How long such a lead lasted before: the time from a post until the oracle counted it, over the posts of the last 24 h. Null delays without posts.',
  }),
};

/** What buying a bucket at its best ask is worth. */
const purchase = {
  token_id: tokenId.nullable(),
  best_ask: price.meta({ description: 'Best ask for its Yes share; null without one.' }),
  ask_size: shares.meta({ description: 'Shares at best_ask; null while not known.' }),
  model_prob: probability.nullable().meta({
    description: 'Probability that the bucket wins, by the forecast; null without one.',
  }),
  expected_value_usd: usd.meta({
    description:
      'edge_net of the bucket times ask_size, USD: what buying all of it at best_ask is worth by the forecast, after the fee. Null unless it is above 0 and known.',
  }),
};

export const countLeftBucketRecord = z
  .object({
    kind: z.literal('count_left_bucket').meta({ description: KIND }),
    ...facts,
    bucket,
    token_id: tokenId,
    best_bid: z.number().min(0).max(1).meta({ description: 'Best bid for a Yes share, above 0.' }),
    bid_size: shares.meta({ description: 'Shares at best_bid; null while not known.' }),
    model_prob: probability.nullable().meta({
      description:
        'Probability that the bucket wins all the same, as the oracle may never count what we do; null until a forecast knows of the post.',
    }),
    gain_usd: usd.meta({
      description:
        'What selling bid_size shares of Yes at best_bid, or buying No at 1 minus that, gains after the taker fee if the bucket does not win, USD; null while the size is not known.',
    }),
    expected_value_usd: usd.meta({
      description: 'gain_usd less model_prob times bid_size, USD; null while either is not known.',
    }),
    since_ts: timeMs.nullable().meta({
      description:
        'When we saw the post that took our count past the bucket, UTC ms; null when that was more than 2 h ago, after which the two counts differ for good.',
    }),
  })
  .meta({
    description: "Our own count is above a bucket, the oracle's is not, and somebody still bids for it.",
  });

export const oracleStalledRecord = z
  .object({
    kind: z.literal('oracle_stalled').meta({ description: KIND }),
    ...facts,
    waiting: z.int().min(1).meta({
      description:
        'Counted posts of the last 2 h, not deleted, that neither the count nor the list of the oracle is known to include, and that have waited longer than limit_ms.',
    }),
    since_ts: timeMs.meta({ description: 'When the oldest of them was made, UTC ms.' }),
    limit_ms: z.number().min(0).meta({
      description: 'The longer of p99_ms and twice p90_ms of oracle_lag, which needs 5 posts or more, ms.',
    }),
    bucket: bucket.nullable().meta({
      description:
        'The bucket whose purchase is worth most by the forecast, which knows of the posts that wait: the fields that follow are about it. Null, as they are, where none is worth its ask and fee.',
    }),
    ...purchase,
  })
  .meta({ description: 'Posts wait for the oracle longer than nearly all did in the last 24 h.' });

export const nearEdgeRecord = z
  .object({
    kind: z.literal('near_edge').meta({ description: KIND }),
    ...facts,
    bucket: bucket.meta({ description: 'Label of the bucket that our own count is in.' }),
    next_bucket: bucket.meta({ description: 'Label of the bucket above it.' }),
    next_token_id: tokenId.meta({ description: 'Order-book token of the Yes share of next_bucket.' }),
    posts_to_next: z.int().min(1).meta({ description: 'Posts from our own count to the next bucket.' }),
    within_ms: z.int().min(1).meta({ description: '15 min, or what is left until the close, ms.' }),
    probability: probability.meta({
      description:
        'Probability of at least so many posts in that time, if they come independently at the rate of the last hour (velocity_counted_1h). Posts come in bursts, and an account may fall asleep: take it as a rough figure. From 0.1 on it is listed.',
    }),
    velocity_counted_1h: z.int().min(0).meta({ description: 'Counted posts of the last hour.' }),
    best_ask: price.meta({ description: 'Best ask for a Yes share of next_bucket; null without one.' }),
    ask_size: shares.meta({ description: 'Shares at best_ask; null while not known.' }),
    model_prob: probability.nullable().meta({
      description: 'Probability that next_bucket wins, by the forecast; null without one.',
    }),
    expected_value_usd: usd.meta({
      description:
        'edge_net of next_bucket times ask_size, USD: what buying all of it at best_ask is worth by the forecast, after the fee. Null unless it is above 0 and known.',
    }),
  })
  .meta({ description: 'Our own count is a few posts from the next bucket, and they may come soon.' });

export const flipLikelyRecord = z
  .object({
    kind: z.literal('flip_likely').meta({ description: KIND }),
    ...facts,
    flip_risk: probability.meta({
      description:
        'Probability that the bucket that settles is not the one that both counts show at the close, by the newest forecast. From 0.1 on it is listed, in the last 6 h.',
    }),
    real_bucket: bucket
      .nullable()
      .meta({ description: 'The bucket of our own count now; null without one.' }),
    oracle_bucket: bucket.nullable().meta({ description: "The bucket of the oracle's count now." }),
    bucket: bucket.nullable().meta({
      description:
        "Where it would flip to: the most probable bucket by the forecast beside that of the oracle's count. The fields that follow are about it. Null without a forecast or an oracle's count.",
    }),
    ...purchase,
  })
  .meta({
    description: 'The bucket that settles may well be another one than the counts show at the close.',
  });

/** What our own count knows before the oracle and the market do. */
export const crossingRecord = z.union([
  countLeftBucketRecord,
  oracleStalledRecord,
  nearEdgeRecord,
  flipLikelyRecord,
]);
