import {
  type FinalCount,
  type ForecastInputs,
  futureOffset,
  type Pmf,
  plus,
  pmfQuantile,
  roundedPmf,
  type Settlement,
  settledShare,
  settledSoFar,
  shifted,
  startingFrom,
} from '../../streams/internal.ts';
import type { ForecastRequest } from './forecast-request.ts';

/** Rarer differences are below what is published. */
const UNITS = 100_000;

/** The settled count so far. A forecast of the past takes our own count for it. */
export function soFarOf({ now, startAt, count, postTimes, settlement }: ForecastRequest): Pmf {
  if (settlement === null) return { least: count, probs: [1] };
  return roundedPmf(settledSoFar({ now, startAt, count, postTimes }, settlement), UNITS);
}

/** The lowest final count that can still settle: the oracle's count, which only grows. */
export function leastFinal({ count, settlement }: ForecastRequest): number {
  return settlement === null ? count : (settlement.oracle?.count ?? 0);
}

/** The expected number of our own future posts that will settle. */
export function settledInputs(inputs: ForecastInputs, { settlement }: ForecastRequest): ForecastInputs {
  return settlement === null ? inputs : { ...inputs, mean: inputs.mean * settledShare(settlement.closed) };
}

/** A remainder after the settled count so far. */
export function settledFinal(remainder: FinalCount, soFar: Pmf, least: number): FinalCount {
  return startingFrom(remainder, soFar, Math.min(least, soFar.least));
}

/** How the settled count will differ from our own; null for a forecast of the past. */
export function settlementOf(
  { count, settlement }: ForecastRequest,
  { mean }: ForecastInputs,
  soFar: Pmf,
): Settlement | null {
  if (settlement === null) return null;
  const offset = roundedPmf(plus(shifted(soFar, -count), futureOffset(settlement.closed, mean)), UNITS);
  const [p5, p50, p95] = [pmfQuantile(offset, 0.05), pmfQuantile(offset, 0.5), pmfQuantile(offset, 0.95)];
  return { oracle: settlement.oracle?.count ?? null, soFar, offset, p5, p50, p95 };
}
