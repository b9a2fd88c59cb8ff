import { DAY_MS, FIRST_AT, HOUR_MS, syntheticPosts } from '../test/streams/model/forecast/synthetic.ts';
import { type ForecastRequest, forecastRequest } from '../test/support/model-requests.ts';

export const EVENTS = 12;
const HISTORY_DAYS = 730;
const FROM_AT = FIRST_AT + HISTORY_DAYS * DAY_MS;
const STEP_MS = 30_000;

/**
 * The requests of the engine to the worker when all events of an account are forecast again, half a minute later each
 * time: windows of a week that end between half a day and a week from now, after two years of posts, each with the
 * forecast before it, which a post has moved.
 */
export function forecastRequests(): () => readonly ForecastRequest[] {
  const posts = syntheticPosts(HISTORY_DAYS + 1);
  // In memory that threads share, as the streams hand it over.
  const postTimes = new Float64Array(new SharedArrayBuffer(posts.byteLength));
  postTimes.set(posts);
  const first = Array.from({ length: EVENTS }, (_, event) => {
    const startAt = FROM_AT + (event + 1) * 14 * HOUR_MS - 7 * DAY_MS;
    return forecastRequest({ eventId: event + 1, seed: event, now: FROM_AT, startAt, postTimes });
  });
  let now = FROM_AT;
  return () => {
    const before = now;
    now += STEP_MS;
    return first.map((request) => {
      const { params, count } = request;
      if (params === null) throw new Error('a live forecast has coefficients');
      const settled = { oracle: count - 1, soFar: { least: count - 1, probs: [1] } };
      const previous = { now: before, count: count - 1, ...settled, p50: count + 100, params };
      return { ...request, now, previous };
    });
  };
}
