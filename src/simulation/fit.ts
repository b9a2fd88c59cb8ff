import { accountSeries, coldStart, fitModel, type ModelParams } from '../../streams/internal.ts';

/** The coefficients of the posts before `now`, or those of an account without a history when there is too little. */
export function fitTo(postTimes: Float64Array, fromAt: number, now: number): ModelParams {
  const fitted = fitModel(accountSeries(postTimes, fromAt, now));
  return fitted.rows > 0 ? fitted : coldStart();
}
