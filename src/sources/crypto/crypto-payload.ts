import * as z from 'zod';
import { amountText } from '../value-schemas.ts';

/** What the exchange sends: prices as text, times in ms. */

const symbol = z.string().min(1).max(40);
const spotPrice = amountText.pipe(z.number().positive());

/** One ticker of the combined stream, or the exchange's reply to a command, which has no `stream`. */
export const tickerFrame = z.union([
  z.object({
    stream: z.string(),
    data: z.object({
      s: symbol,
      c: spotPrice,
      E: z.number().int().min(Date.UTC(2000, 0)).max(Date.UTC(2100, 0)),
    }),
  }),
  z.object({ stream: z.undefined().optional(), result: z.null() }),
]);

export const tickerPrice = z.object({ symbol, price: spotPrice });
