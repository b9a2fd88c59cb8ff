import { coldStart, type ModelRequest } from '../../streams/internal.ts';
import { DAY_MS, FIRST_AT, HOUR_MS, syntheticPosts } from '../streams/model/forecast/synthetic.ts';

export type ForecastRequest = Extract<ModelRequest, { readonly type: 'forecast' }>;
export type FitRequest = Extract<ModelRequest, { readonly type: 'fit' }>;

/** Requests with every field set; a test names the fields it is about. */

const POSTS = syntheticPosts(60);
const NOW = FIRST_AT + 50 * DAY_MS + 5 * HOUR_MS + 1_234;

export function postsBefore(at: number): Float64Array {
  return POSTS.filter((post) => post < at);
}

export function fitRequest(fields: Partial<FitRequest> = {}): FitRequest {
  const now = fields.now ?? NOW;
  const known = { now, fromAt: FIRST_AT, postTimes: postsBefore(now), closed: [] };
  return { type: 'fit', account: 'a', ...known, ...fields };
}

/** A week's window with a day gone by, seen with the coefficients of a cold start. */
export function forecastRequest(fields: Partial<ForecastRequest> = {}): ForecastRequest {
  const now = fields.now ?? NOW;
  const startAt = fields.startAt ?? NOW - DAY_MS;
  const postTimes = fields.postTimes ?? postsBefore(now);
  return {
    type: 'forecast',
    account: 'a',
    eventId: 1,
    origin: 'live',
    horizonHours: null,
    now,
    startAt,
    endAt: startAt + 7 * DAY_MS,
    count: postTimes.filter((post) => post >= startAt).length,
    buckets: Array.from({ length: 26 }, (_, index) => ({
      lo: index * 20,
      hi: index === 25 ? null : index * 20 + 19,
    })),
    settlement: null,
    seed: 42,
    params: coldStart(),
    fromAt: FIRST_AT,
    postTimes,
    activity: postTimes,
    previous: null,
    ...fields,
  };
}
