import {
  type ForecastWindow,
  inputsAt,
  lowerBound,
  type ModelParams,
  type ModelRequest,
  type Move,
  quantileOf,
} from '../../streams/internal.ts';
import { accountAt } from './account-at.ts';
import { simulate } from './simulate.ts';

export type ForecastRequest = Extract<ModelRequest, { readonly type: 'forecast' }>;

/**
 * What moved the median since the event's previous forecast, one step after the other: first the coefficients
 * (the previous state seen with the new ones), then the clock (the same posts, seen from now), then the posts. The
 * steps add up to the whole change; those of nothing are left out.
 */
export function movesOf(request: ForecastRequest, params: ModelParams, p50: number): readonly Move[] {
  const { previous, count, now, postTimes } = request;
  if (previous === null) return [];
  const total = p50 - previous.p50;
  const isSameModel = params.version === previous.params.version;
  const before = lowerBound(postTimes, previous.now);
  const hasNoNews = count === previous.count && lowerBound(postTimes, now) === before;
  if (isSameModel && hasNoNews) return withoutZeros([{ cause: 'clock', p50: total }]);

  const posts = postTimes.subarray(0, before);
  const thenP50 = medianAt(request, params, posts, previous.now, previous.count);
  const laterP50 = medianAt(request, params, posts, now, previous.count);
  // With the same coefficients a difference is that of posts seen late, which the last step holds.
  const byModel = isSameModel ? 0 : thenP50 - previous.p50;
  const byClock = laterP50 - thenP50;
  return withoutZeros([
    { cause: 'model', p50: byModel },
    { cause: 'clock', p50: byClock },
    { cause: count < previous.count ? 'post_deleted' : 'new_post', p50: total - byModel - byClock },
  ]);
}

function medianAt(
  { fromAt, startAt, endAt, seed }: ForecastRequest,
  params: ModelParams,
  posts: Float64Array,
  now: number,
  count: number,
): number {
  const window: ForecastWindow = { startAt, endAt, count };
  return quantileOf(simulate(inputsAt(accountAt(posts, fromAt, now), params, window), seed), 0.5);
}

function withoutZeros(moves: readonly Move[]): readonly Move[] {
  return moves.filter(({ p50 }) => p50 !== 0);
}
