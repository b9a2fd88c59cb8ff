import { coldStart, fitModel, type ModelParams } from '../../streams/internal.ts';
import { type KnownPosts, seriesAt } from './known-posts.ts';

/** The coefficients of the posts before `now`, or those of an account without a history when there is too little. */
export function fitTo(known: KnownPosts, now: number): ModelParams {
  const fitted = fitModel(seriesAt(known, now));
  return fitted.rows > 0 ? fitted : coldStart();
}
