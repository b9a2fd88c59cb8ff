import { MINUTE_MS } from './durations.ts';

/** Compares ids by number. They are decimal text, too long for a JavaScript number. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** Ids are 64-bit numbers with a sign. */
const LARGEST_ID = '9223372036854775807';
/** Smaller ids were given one after the other, before ids began with their time. */
const FIRST_TIMED_ID = '30000000000';
const ID_EPOCH_MS = 1_288_834_974_657n;
/** 2006-03-21, UTC ms. */
const PLATFORM_OPENED_AT = 1_142_899_200_000;
/** Clocks differ by seconds. A time further ahead of ours, or further from that of its id, is wrong. */
export const TOLERANCE_MS = 5 * MINUTE_MS;

/** The time that an id begins with, UTC ms; null when it begins with none. */
export function timeOfId(id: string): number | null {
  return compareIds(id, FIRST_TIMED_ID) < 0 ? null : Number((BigInt(id) >> 22n) + ID_EPOCH_MS);
}

/** What can be wrong with a post, in words that follow its name. */
export const POST_FAULTS = {
  idRange: 'has an id that is no 64-bit number',
  idTime: 'has an id of another time',
  early: 'is dated before the platform existed',
  ahead: 'is dated ahead of our clock',
} as const;
type PostFault = keyof typeof POST_FAULTS;

/**
 * Why a post cannot be as it says at `now` (UTC ms), or null: such a post must not steer what is read next. One that is
 * `ahead` and nothing else would be good if our own clock were behind. `isTimed` tells whether ids begin with their time.
 */
export function postFault(
  { id, createdAt }: { readonly id: string; readonly createdAt: number },
  now: number,
  isTimed = true,
): PostFault | null {
  if (compareIds(id, LARGEST_ID) > 0) return 'idRange';
  if (createdAt < PLATFORM_OPENED_AT) return 'early';
  const idAt = isTimed ? timeOfId(id) : null;
  if (idAt !== null && Math.abs(idAt - createdAt) > TOLERANCE_MS) return 'idTime';
  return createdAt > now + TOLERANCE_MS ? 'ahead' : null;
}
