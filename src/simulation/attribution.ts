import {
  type ForecastWindow,
  inputsAt,
  lowerBound,
  type ModelParams,
  type ModelRequest,
  type Move,
  quantileOf,
} from '../../streams/internal.ts';
import type { ModelCache } from './model-cache.ts';
import { simulate } from './simulate.ts';

export type ForecastRequest = Extract<ModelRequest, { readonly type: 'forecast' }>;

/**
 * Attributes the change of the median since the event's previous forecast, one step after the other: first to the
 * coefficients (the previous state with the new ones), then to the clock (the same posts, seen from now), then to the
 * posts. The steps add up to the whole change; steps of 0 are left out.
 */
export function attributionOf(
  request: ForecastRequest,
  params: ModelParams,
  p50: number,
  cache: ModelCache,
): readonly Move[] {
  const { previous, count, now, postTimes } = request;
  if (previous === null) return [];
  const total = p50 - previous.p50;
  const isSameModel = params.version === previous.params.version;
  const postsBefore = lowerBound(postTimes, previous.now);
  const hasNoNews = count === previous.count && lowerBound(postTimes, now) === postsBefore;
  if (isSameModel && hasNoNews) return withoutZeros([{ cause: 'clock', p50: total }]);

  const posts = postTimes.subarray(0, postsBefore);
  const medianAt = (at: number) => {
    const { fromAt, startAt, endAt, seed } = request;
    const window: ForecastWindow = { startAt, endAt, count: previous.count };
    return quantileOf(simulate(inputsAt(cache.accountAt(posts, fromAt, at), params, window), seed), 0.5);
  };
  const thenP50 = medianAt(previous.now);
  const laterP50 = medianAt(now);
  // With the same coefficients a difference comes from posts seen late, which belong to the last step.
  const byModel = isSameModel ? 0 : thenP50 - previous.p50;
  const byClock = laterP50 - thenP50;
  return withoutZeros([
    { cause: 'model', p50: byModel },
    { cause: 'clock', p50: byClock },
    { cause: count < previous.count ? 'post_deleted' : 'new_post', p50: total - byModel - byClock },
  ]);
}

function withoutZeros(steps: readonly Move[]): readonly Move[] {
  return steps.filter(({ p50 }) => p50 !== 0);
}
