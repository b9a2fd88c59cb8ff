import { MINUTE_MS } from './durations.ts';
import { seedOf } from './seed.ts';

/**
 * The number of the account's minute that `at` (UTC ms) lies in. Minutes of accounts begin at different seconds, so that
 * those of many accounts are not all sampled in the same instant.
 */
export function minuteOf(account: string, at: number): number {
  return Math.floor((at - secondOf(account) * 1_000) / MINUTE_MS);
}

/** The second of the minute at which the account's minutes begin. */
function secondOf(account: string): number {
  return seedOf(0, account) % 60;
}
