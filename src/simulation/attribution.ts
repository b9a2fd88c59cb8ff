import {
  inputsAt,
  isSame,
  lowerBound,
  type ModelParams,
  type Move,
  type Pmf,
  quantileOf,
  shifted,
} from '../../streams/internal.ts';
import type { ForecastRequest } from './forecast-request.ts';
import type { ModelCache } from './model-cache.ts';
import { leastFinal, settledFinal, settledInputs } from './settlement.ts';
import { simulate } from './simulate.ts';

/**
 * Attributes the change of the median since the event's previous forecast, one step after the other: first to the
 * coefficients (the previous state with the new ones), then to the clock (the same posts, seen from now), then to our
 * posts (as if each new one settled), then to what the oracle has counted or a deletion keeps it from counting. The
 * steps add up to the whole change; steps of 0 are left out.
 */
export function attributionOf(
  request: ForecastRequest,
  params: ModelParams,
  { p50, soFar }: { readonly p50: number; readonly soFar: Pmf },
  cache: ModelCache,
): readonly Move[] {
  const { previous, count, now, postTimes } = request;
  if (previous === null) return [];
  const total = p50 - previous.p50;
  const isSameModel = params.version === previous.params.version;
  const postsBefore = lowerBound(postTimes, previous.now);
  const hasNoPosts = count === previous.count && lowerBound(postTimes, now) === postsBefore;
  if (isSameModel && hasNoPosts && isSame(soFar, previous.soFar)) {
    return withoutZeros([{ cause: 'clock', p50: total }]);
  }

  const medianOf = (at: number, posts: Float64Array, base: Pmf) => {
    const { startAt, endAt, seed } = request;
    const known = { ...request, postTimes: posts };
    const inputs = inputsAt(cache.accountAt(known, at), params, { startAt, endAt, count });
    const remainder = simulate(settledInputs(inputs, request), seed);
    return quantileOf(settledFinal(remainder, base, leastFinal(request)), 0.5);
  };
  const postsThen = postTimes.subarray(0, postsBefore);
  const thenP50 = medianOf(previous.now, postsThen, previous.soFar);
  const laterP50 = medianOf(now, postsThen, previous.soFar);
  const withPostsP50 = hasNoPosts
    ? laterP50
    : medianOf(now, postTimes, shifted(previous.soFar, count - previous.count));
  // With the same coefficients a difference comes from posts seen late, which belong to a later step.
  const byModel = isSameModel ? 0 : thenP50 - previous.p50;
  const byClock = laterP50 - thenP50;
  const bySettlement = p50 - withPostsP50;
  const byPosts = total - byModel - byClock - bySettlement;
  return withoutZeros([
    { cause: 'model', p50: byModel },
    { cause: 'clock', p50: byClock },
    { cause: count < previous.count ? 'post_deleted' : 'new_post', p50: byPosts },
    { cause: isByDeletion(request, previous) ? 'post_deleted' : 'oracle', p50: bySettlement },
  ]);
}

/** Whether a counted post was found deleted since the previous forecast, while the counts stayed. */
function isByDeletion(
  { count, settlement }: ForecastRequest,
  previous: NonNullable<ForecastRequest['previous']>,
): boolean {
  if (settlement === null || count < previous.count) return false;
  if ((settlement.oracle?.count ?? null) !== previous.oracle) return false;
  return settlement.deleted.some(({ createdAt, upMs }) => createdAt + upMs >= previous.now);
}

function withoutZeros(steps: readonly Move[]): readonly Move[] {
  return steps.filter(({ p50 }) => p50 !== 0);
}
