import { ignoreElements, mergeMap, timer } from 'rxjs';
import type { Source } from './source.ts';

/** The starts of all accounts are spread over this time. */
const START_MS = 1_000;
const GOLDEN_SHARE = (Math.sqrt(5) - 1) / 2;

/**
 * At which share of each period the account at a place of the list is polled, from 0 to 1. Steps of the golden ratio fill
 * the period evenly for any number of accounts, so that another account moves the polls of none before it.
 */
export function spreadOf(place: number): number {
  return (place * GOLDEN_SHARE) % 1;
}

/** Ms from the first poll of a source to its second, after which it is polled each period. */
export function secondPollMs(periodMs: number, spread: number): number {
  const laterMs = spread * (periodMs - Math.min(periodMs, START_MS));
  return laterMs > 0 ? laterMs : periodMs;
}

/** Starts a source at its share of a second. */
export function startSpread(source: Source, spread: number): Source {
  if (spread === 0) return source;
  return {
    ...source,
    run: (context) =>
      timer(spread * START_MS).pipe(
        mergeMap(() => source.run(context)),
        ignoreElements(),
      ),
  };
}
