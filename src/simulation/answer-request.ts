import {
  accountNow,
  biasFactors,
  type FinalCount,
  type FitFact,
  type Forecast,
  type ForecastFact,
  type ForecastInputs,
  forecastOf,
  inputsAt,
  type ModelRequest,
  paceFinalCount,
  sleepProbability,
} from '../../streams/internal.ts';
import { attributionOf } from './attribution.ts';
import { fitTo } from './fit.ts';
import type { ForecastRequest } from './forecast-request.ts';
import { seriesAt } from './known-posts.ts';
import { createModelCache, type ModelCache } from './model-cache.ts';
import { leastFinal, settledFinal, settledInputs, settlementOf, soFarOf } from './settlement.ts';
import { simulate } from './simulate.ts';

/** The answer depends on the request alone, not on what the cache holds from other requests. */
export function answer(
  request: ModelRequest,
  askedSeq: number,
  cache: ModelCache = createModelCache(),
): FitFact | ForecastFact {
  if (request.type === 'forecast') return forecastFact(request, askedSeq, cache);
  const { account, now, closed } = request;
  const params = { ...fitTo(request, now), bias: biasFactors(closed) };
  return { kind: 'fit', account, askedSeq, params };
}

function forecastFact(request: ForecastRequest, askedSeq: number, cache: ModelCache): ForecastFact {
  const { account, eventId, origin, horizonHours, seed, buckets, now } = request;
  const { startAt, endAt, count } = request;
  const window = { startAt, endAt, count };
  // Only live requests share an account's state; for others a cache would only take memory.
  const accountState = origin === 'live' ? cache.accountAt(request, now) : accountNow(seriesAt(request, now));
  const { series } = accountState;
  const params = request.params ?? cache.fitOfWeek(account, request, now);
  const inputs = inputsAt(accountState, params, window);
  const soFar = soFarOf(request);
  const least = leastFinal(request);
  const settled = (remainder: FinalCount) => forecastOf(settledFinal(remainder, soFar, least), buckets);
  const forecast = settled(simulate(settledInputs(inputs, request), seed));
  const settlement = settlementOf(request, inputs, soFar);
  return {
    kind: 'forecast',
    ...{ account, eventId, askedSeq, origin, horizonHours, seed },
    inputs: roundedInputs(inputs),
    forecast: roundedForecast(forecast, LEAST_UNITS),
    pace: roundedForecast(settled(paceFinalCount(series, window))),
    ...(settlement && { own: roundedForecast(forecastOf(simulate(inputs, seed), buckets)), settlement }),
    sleepProbability: rounded(sleepProbability(now, request.activity)),
    moved: attributionOf(request, params, { p50: forecast.p50, soFar }, cache),
  };
}

/** Six decimals are logged; further digits are below the accuracy of a forecast. */
const UNITS = 1_000_000;
/** Published probabilities have four decimals, and 0 stands for a bucket that can no longer win. */
const LEAST_UNITS = UNITS / 10_000;

function rounded(value: number): number {
  return Math.round(value * UNITS) / UNITS;
}

function roundedInputs(inputs: ForecastInputs): ForecastInputs {
  const { mean, dispersion, shares } = inputs;
  return {
    ...inputs,
    mean: rounded(mean),
    dispersion: rounded(dispersion),
    shares: shares.map(rounded),
  };
}

function roundedForecast(forecast: Forecast, leastUnits = 0): Forecast {
  return { ...forecast, bucketProbs: roundedProbs(forecast.bucketProbs, leastUnits) };
}

/**
 * The rounding error goes to the likeliest bucket, so that a partition still adds up to 1. A bucket that can win has at
 * least `leastUnits`.
 */
function roundedProbs(probs: readonly number[], leastUnits: number): readonly number[] {
  const units = probs.map((prob) => (prob === 0 ? 0 : Math.max(leastUnits, Math.round(prob * UNITS))));
  const sum = probs.reduce((all, prob) => all + prob, 0);
  const missing = Math.round(sum * UNITS) - units.reduce((all, unit) => all + unit, 0);
  const likeliest = units.indexOf(Math.max(...units));
  return units.map((unit, index) => (index === likeliest ? unit + missing : unit) / UNITS);
}
