import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { checkedFetch } from './answer-check.ts';

/** Reads the service as a caller written from the specification does. */

const count = z.int().nullable();
const asOf = z.object({
  seq: z.int(),
  ts: z.int(),
  ages_ms: z.object({ posts: count, oracle: count, ui: count, prices: count }),
});

const Meta = z.object({
  timestamp: z.int(),
  data: z.array(
    z.object({
      event_id: z.int(),
      event_slug: z.string(),
      start_ts: z.int(),
      end_ts: z.int(),
      market_oracle_counter: count,
      real_counter: count,
      market_ui_counter: count,
      settlement_delta: count,
      display_delta: count,
      internal_delta: count,
      deleted_count: count,
      via: z.enum(['timeline', 'oracle_list']).nullable(),
      stale: z.array(z.string()),
      as_of: asOf,
    }),
  ),
});

const Tweets = z.object({
  limit: z.int(),
  offset: z.int(),
  data: z.array(
    z.object({
      tweet_id: z.string(),
      created_ts: z.int(),
      is_reply: z.boolean().nullable(),
      is_quote: z.boolean().nullable(),
      is_retweet: z.boolean(),
      is_counted: z.boolean().nullable(),
      deleted_ts: z.int().nullable(),
      via: z.enum(['timeline', 'oracle_list']),
      oracle_ts: z.int().nullable(),
      as_of: asOf,
    }),
  ),
});

/** The demo's key without a limit. */
export const CALLER = { headers: { 'X-API-Key': 'demo_internal' } };

/** The counters, once the service knows which events are active. */
export async function readMeta(url: string, account: string): Promise<z.infer<typeof Meta>> {
  for (;;) {
    const response = await checkedFetch(`${url}/api/v1/meta/${account}`, CALLER);
    const body = await response.json();
    if (response.status !== 503) return Meta.parse(body);
    await delay(10);
  }
}

export async function readTweets(
  url: string,
  account: string,
  limit: number,
  offset = 0,
): Promise<z.infer<typeof Tweets>> {
  const path = `/api/v1/meta/${account}/tweets?limit=${limit}&offset=${offset}`;
  const response = await checkedFetch(url + path, CALLER);
  return Tweets.parse(await response.json());
}

const Prediction = z.object({
  data: z.array(z.object({ event_id: z.int(), forecast_id: z.string().nullish() })),
});

/** The ids of the forecasts of an account's events that have one. */
export async function readForecastIds(url: string, account: string): Promise<ReadonlyMap<number, string>> {
  const response = await checkedFetch(`${url}/api/v1/prediction/${account}`, CALLER);
  const { data } = Prediction.parse(await response.json());
  return new Map(
    data.flatMap(({ event_id, forecast_id }) => (forecast_id == null ? [] : [[event_id, forecast_id]])),
  );
}

/** Runs a control verb of a world. */
export async function steer(worldUrl: string, verb: string, body: object): Promise<unknown> {
  const response = await fetch(`${worldUrl}/control/${verb}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${verb} was answered ${response.status}: ${await response.text()}`);
  return response.json();
}
