import * as z from 'zod';
import { CRYPTO_INPUTS } from '../crypto-inputs.ts';
import { eventFields, price, timeMs } from './fields.ts';

export const cryptoMarketRecord = z.object({
  title: z.string().meta({ description: 'Label of the outcome.', examples: ['Up'] }),
  token_id: z.string().meta({ description: 'Order-book token of its Yes share.' }),
  market_price: price,
  price_ts: timeMs.nullable().meta({ description: 'When the price last changed, UTC ms.' }),
});

/** An active event that settles on the price of a coin. */
export const cryptoRecord = z
  .object({
    ...eventFields,
    symbol: z.string().meta({ description: 'Symbol of the coin.', examples: ['BTC'] }),
    kind: z.enum(['UP_DOWN', 'RANGE', 'LADDER', 'TOUCH']).meta({
      description:
        'What decides the event: above or below the start, a range of prices, a price exceeded at the end, or a price touched.',
    }),
    start_ts: timeMs.nullable().meta({ description: 'Start of the window, UTC ms.' }),
    end_ts: timeMs.meta({ description: 'End of the window, UTC ms.' }),
    seconds_remaining: z.int().min(0).meta({ description: 'Seconds until the window ends.' }),
    spot_price: z.number().nullable().meta({ description: 'Price of the coin, USD; null while unknown.' }),
    spot_ts: timeMs.nullable().meta({ description: 'When the exchange published it, UTC ms.' }),
    reference_price: z
      .number()
      .nullable()
      .meta({ description: 'Price to beat, USD; null when there is none.' }),
    markets: z.array(cryptoMarketRecord).meta({ description: 'The outcomes.' }),
    stale: z.array(z.enum(CRYPTO_INPUTS)).meta({
      description:
        'Inputs that have not answered for longer than their limit: prices, the list of events, and crypto, the spot prices.',
      examples: [[]],
    }),
  })
  .meta({
    description: 'An active crypto price event with its prices.',
    examples: [
      {
        event_id: 220_001,
        event_title: 'Up or down, November 15, 4:00 to 4:15?',
        event_slug: 'btc-up-or-down-1794715200',
        image: 'https://market.example/coin.png',
        symbol: 'BTC',
        kind: 'UP_DOWN',
        start_ts: 1_794_715_200_000,
        end_ts: 1_794_716_100_000,
        seconds_remaining: 318,
        spot_price: 96_420.5,
        spot_ts: 1_794_715_781_000,
        reference_price: 96_400,
        markets: [{ title: 'Up', token_id: '7101', market_price: 0.53, price_ts: 1_794_715_780_000 }],
        stale: [],
      },
    ],
  });
