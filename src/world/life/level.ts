import { createRng } from '../rng.ts';
import type { Account } from './accounts.ts';

/** How far the history reaches back before the world's start at most. */
export const HISTORY_DAYS = 140;

/** What is left of a slow and of a fast swing after a day. */
const SLOW_KEPT = 0.97;
const FAST_KEPT = 0.5;

/**
 * How busy the account is on one of its days, 1 on average and 0 within a silence of days: a chain, so that a busy day is
 * likely followed by another. Nothing brings it back to a total.
 */
export function levelOf({ id, swing, silenceChance }: Account, seed: number, day: number): number {
  const rng = createRng(seed, 'level', id);
  let slow = swing.slow * rng.normal();
  let fast = swing.fast * rng.normal();
  let silentDays = 0;
  for (let each = -HISTORY_DAYS; each <= day; each++) {
    slow = SLOW_KEPT * slow + Math.sqrt(1 - SLOW_KEPT ** 2) * swing.slow * rng.normal();
    fast = FAST_KEPT * fast + Math.sqrt(1 - FAST_KEPT ** 2) * swing.fast * rng.normal();
    if (silentDays > 0) silentDays--;
    else if (silenceChance > 0 && rng.chance(silenceChance)) silentDays = rng.int(2, 7);
  }
  return silentDays > 0 ? 0 : Math.exp(slow + fast - (swing.slow ** 2 + swing.fast ** 2) / 2);
}
