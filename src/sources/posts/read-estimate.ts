import type { SourceSettings } from '../settings.ts';
import { createLookPlan } from './look-plan.ts';

type Periods = Pick<SourceSettings, 'deletionsPeriodMs' | 'deletionsHorizonMs'>;

/** Most posts refer to another one, which comes with them and may be billed as well. */
const READS_PER_SIGHT = 2;
/** The median time until the oracle has a post. */
const LISTED_AFTER_MS = 158_000;
/** Each post is read a second time in this many periods. */
const RECHECKS = 2;

interface ReadEstimate {
  /** When it is new, and when young posts are read a second time. */
  readonly timeline: number;
  /** To find out whether it was deleted. */
  readonly lookups: number;
  readonly all: number;
}

/** How many posts are read for each post that an account makes, if nothing is billed once only. */
export function readsPerPost({ deletionsPeriodMs, deletionsHorizonMs }: Periods): ReadEstimate {
  const plan = createLookPlan(deletionsPeriodMs);
  let lookups = 0;
  for (let age = deletionsPeriodMs; age < deletionsHorizonMs; age += deletionsPeriodMs) {
    const oracleAt = age < LISTED_AFTER_MS ? null : LISTED_AFTER_MS;
    const post = { id: '', createdAt: 0, isCounted: true, oracleAt };
    if (!plan.isDue(post, age)) continue;
    plan.looked(post, age, false);
    lookups += 1;
  }
  const timeline = READS_PER_SIGHT * (1 + RECHECKS);
  return { timeline, lookups, all: timeline + lookups };
}
