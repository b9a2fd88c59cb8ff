import {
  accountNow,
  accountSeries,
  biasFactors,
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
import { accountAt } from './account-at.ts';
import { type ForecastRequest, movesOf } from './attribution.ts';
import { simulate } from './simulate.ts';
import { fitOfWeek, fitTo } from './weekly-fit.ts';

/** What a request asks for: a pure function of it, whatever was asked before. */
export function answer(request: ModelRequest, askedSeq: number): FitFact | ForecastFact {
  if (request.type === 'forecast') return forecastFact(request, askedSeq);
  const { account, postTimes, fromAt, now, closed } = request;
  const params = { ...fitTo(postTimes, fromAt, now), bias: biasFactors(closed) };
  return { kind: 'fit', account, askedSeq, params };
}

function forecastFact(request: ForecastRequest, askedSeq: number): ForecastFact {
  const { account, eventId, origin, horizonHours, seed, buckets, postTimes, fromAt, now } = request;
  const { startAt, endAt, count } = request;
  const window = { startAt, endAt, count };
  // Only open events are asked about together; what is kept for the others would be given back late.
  const standing =
    origin === 'live' ? accountAt(postTimes, fromAt, now) : accountNow(accountSeries(postTimes, fromAt, now));
  const { series } = standing;
  const params = request.params ?? fitOfWeek(account, postTimes, fromAt, now);
  const inputs = inputsAt(standing, params, window);
  const forecast = forecastOf(simulate(inputs, seed), buckets);
  return {
    kind: 'forecast',
    ...{ account, eventId, askedSeq, origin, horizonHours, seed },
    inputs: roundedInputs(inputs),
    forecast: roundedForecast(forecast),
    pace: roundedForecast(forecastOf(paceFinalCount(series, window), buckets)),
    sleepProbability: rounded(sleepProbability(series)),
    moved: movesOf(request, params, forecast.p50),
  };
}

/** Digits kept in the log; the rest is below what a forecast knows and would only fill it. */
const UNITS = 1_000_000;

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

function roundedForecast(forecast: Forecast): Forecast {
  return { ...forecast, bucketProbs: roundedProbs(forecast.bucketProbs) };
}

/** What rounding takes or adds goes to the likeliest bucket, so that a partition still adds up to 1. */
function roundedProbs(probs: readonly number[]): readonly number[] {
  const units = probs.map((prob) => Math.round(prob * UNITS));
  const sum = probs.reduce((all, prob) => all + prob, 0);
  const missing = Math.round(sum * UNITS) - units.reduce((all, unit) => all + unit, 0);
  const likeliest = units.indexOf(Math.max(...units));
  return units.map((unit, index) => (index === likeliest ? unit + missing : unit) / UNITS);
}
