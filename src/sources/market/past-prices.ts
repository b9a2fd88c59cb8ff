import * as z from 'zod';
import {
  type EventFact,
  horizonAt,
  horizonsOf,
  MINUTE_MS,
  type PastPricesFact,
} from '../../../streams/internal.ts';
import { SourceError } from '../../errors.ts';
import type { Endpoints } from '../endpoints.ts';
import { isNotFound, isRefusal, readPayload } from '../read-payload.ts';
import type { SourceSettings } from '../settings.ts';
import type { SourceContext } from '../source.ts';
import { price, tokenId } from '../value-schemas.ts';

const TOKENS_PER_REQUEST = 20;
/** A price that was told longer before the instant was not the market's price any more. */
const OLDEST_MS = 2 * MINUTE_MS;
/** Minutes between two prices of an answer. */
const STEP_MINUTES = 1;

/** `t` is in seconds. */
const pastPrice = z.object({ t: z.number().int().nonnegative(), p: price });
const priceHistories = z.object({ history: z.record(tokenId, z.array(pastPrice)) });

/**
 * What the buckets of an event cost at the instants at which its forecasts are scored. An answer that fails leaves them
 * unknown, which is told: the event itself does not wait for it.
 */
export async function readPastPrices(
  { eventId, subject, startAt, endAt, buckets }: EventFact,
  { book, userAgent }: Endpoints,
  { slowTimeoutMs: timeoutMs }: SourceSettings,
  context: SourceContext,
  signal: AbortSignal,
): Promise<readonly PastPricesFact[]> {
  if (subject.type !== 'posts' || startAt === null) return [];
  const { account } = subject;
  const tokens = buckets.map(({ yesToken }) => yesToken);

  async function pricesAt(at: number): Promise<readonly (number | null)[]> {
    const found = new Map<string, number>();
    for (let start = 0; start < tokens.length; start += TOKENS_PER_REQUEST) {
      const { history } = await readPayload(
        `${book.baseUrl}/batch-prices-history`,
        priceHistories,
        {
          method: 'POST',
          body: {
            markets: tokens.slice(start, start + TOKENS_PER_REQUEST),
            start_ts: Math.floor((at - OLDEST_MS) / 1000),
            end_ts: Math.floor(at / 1000),
            fidelity: STEP_MINUTES,
          },
          headers: { 'user-agent': userAgent },
          timeoutMs,
          signal,
          pace: book.pace,
        },
        context,
      );
      for (const [token, rows] of Object.entries(history)) {
        const last = lastKnown(rows, at);
        if (last !== null) found.set(token, last);
      }
    }
    return tokens.map((token) => found.get(token) ?? null);
  }

  try {
    const facts: PastPricesFact[] = [];
    for (const hours of horizonsOf(startAt, endAt)) {
      const at = horizonAt(endAt, hours);
      const prices = await pricesAt(at);
      if (prices.some((each) => each !== null))
        facts.push({ kind: 'past_prices', account, eventId, at, prices });
    }
    return facts;
  } catch (error) {
    if (!(error instanceof SourceError) || signal.aborted) throw error;
    const { message } = error;
    // What was refused is told already, and a host that has none says so.
    if (!isRefusal(error) && !isNotFound(error))
      context.refused(`the past prices of event ${eventId}: ${message}`);
    return [];
  }
}

/** The last price known at `at`, whatever else the answer holds: a later one would tell the future. */
function lastKnown(rows: z.infer<typeof priceHistories>['history'][string], at: number): number | null {
  let last: z.infer<typeof pastPrice> | undefined;
  for (const row of rows) {
    const toldAt = row.t * 1000;
    if (toldAt <= at && toldAt >= at - OLDEST_MS && (last === undefined || row.t >= last.t)) last = row;
  }
  return last?.p ?? null;
}
