import { createRng, type Rng, uuid } from '../rng.ts';

/** `a` to `z`, then `aa`, `ab` and so on. */
export type WorldAccountId = string;

/** When an account's own day begins: so long before the world's start, or at a time of day, both in hours. */
type DayBegin =
  | { readonly type: 'before-start'; readonly hours: number }
  | { readonly type: 'utc'; readonly hour: number };

/** Who posts, how much and when. Hours are counted from the start of the account's own day. */
export interface Account {
  /** Its place: 0 for `a`. */
  readonly index: number;
  readonly id: WorldAccountId;
  readonly name: string;
  readonly handle: string;
  readonly userId: string;
  readonly oracleUserId: string;
  readonly slugPrefix: string;
  /** Whether the slugs of its weeks name the year. */
  readonly hasYearInSlugs: boolean;
  /** The series: weekly, two days, month. */
  readonly seriesSlugs: readonly [string, string, string];
  /** Smallest step of its prices away from the edges, in thousandths. */
  readonly tick: 1 | 10;
  readonly day: DayBegin;
  readonly countedPerDay: number;
  readonly repliesPerDay: number;
  readonly wakeHour: number;
  readonly sleepHour: number;
  /** A program: it posts each so many minutes, day and night, and does nothing else. Null for a person. */
  readonly clockMinutes: number | null;
  readonly repostShare: number;
  readonly quoteShare: number;
  readonly meanBurst: number;
  /** Standard deviations of the logarithm of how busy it is: over months, and from day to day. */
  readonly swing: { readonly slow: number; readonly fast: number };
  /** The chance that a day begins a silence of several days. */
  readonly silenceChance: number;
  /** Within these hours it is never silent for five minutes. Null: it may be. */
  readonly noSilenceHours: readonly [from: number, to: number] | null;
}

/** The habits that A and B have in every world. The world's start is A's busiest hour and late in B's night. */
const KNOWN_HABITS = [
  {
    hasYearInSlugs: false,
    tick: 1,
    day: { type: 'before-start', hours: 5 },
    countedPerDay: 120,
    repliesPerDay: 60,
    wakeHour: 0.8,
    sleepHour: 17.5,
    clockMinutes: null,
    repostShare: 0.55,
    quoteShare: 0.33,
    meanBurst: 3,
    swing: { slow: 0.2, fast: 0.2 },
    silenceChance: 0,
    noSilenceHours: [0, 24],
  },
  {
    hasYearInSlugs: true,
    tick: 10,
    day: { type: 'before-start', hours: 19 },
    countedPerDay: 25,
    repliesPerDay: 5,
    wakeHour: 0.8,
    sleepHour: 20,
    clockMinutes: null,
    repostShare: 0.3,
    quoteShare: 0.2,
    meanBurst: 1.5,
    swing: { slow: 0.2, fast: 0.25 },
    silenceChance: 0,
    // From well before A falls asleep until well after it wakes: A's hours are B's and ten more.
    noSilenceHours: [5.3, 16.4],
  },
] as const satisfies readonly Habits[];

type Identity = 'index' | 'id' | 'name' | 'handle' | 'userId' | 'oracleUserId' | 'slugPrefix' | 'seriesSlugs';
type Habits = Omit<Account, Identity>;

/** The place of an account has ten bits in the ids of its posts. */
const MOST_ACCOUNTS = 1_000;

/** The first `count` accounts of a world. None of them depends on how many there are. */
export function accountsOf(seed: number, count: number): readonly Account[] {
  if (count < 1 || count > MOST_ACCOUNTS)
    throw new RangeError(`a world has 1 to ${MOST_ACCOUNTS} accounts, not ${count}`);
  return Array.from({ length: count }, (_, index) => accountAt(seed, index));
}

function accountAt(seed: number, index: number): Account {
  const id = idOf(index);
  const prefix = `account-${id}`;
  return {
    ...(KNOWN_HABITS[index] ?? madeUpHabits(seed, index, id)),
    index,
    id,
    name: `Account ${id.toUpperCase()}`,
    handle: ['account', id, 'handle'].join('_'),
    userId: String(1_000_000_001 + index),
    oracleUserId: uuid('oracle user', id),
    slugPrefix: prefix,
    seriesSlugs: [`${prefix}-posts`, `${prefix}-posts-48h`, `${prefix}-posts-monthly`],
  };
}

function idOf(index: number): WorldAccountId {
  const letter = String.fromCharCode(97 + (index % 26));
  return index < 26 ? letter : idOf(Math.floor(index / 26) - 1) + letter;
}

const LIVES = ['daytime', 'owl', 'program', 'seldom', 'heavy', 'comes-and-goes'] as const;
type Life = (typeof LIVES)[number];

/** Posts a day, least and most. A program posts as often as its clock says. */
const COUNTED_PER_DAY: Readonly<Record<Exclude<Life, 'program'>, readonly [number, number]>> = {
  daytime: [8, 60],
  owl: [10, 120],
  seldom: [1, 4],
  heavy: [110, 200],
  'comes-and-goes': [5, 40],
};
const CLOCK_MINUTES = [10, 15, 20, 30, 60, 120, 240] as const;
/** Hours ahead of UTC. */
const ZONES = [-8, -7, -5, -5, -3, 0, 0, 1, 2, 3, 5.5, 8, 9, 10] as const;

/** The lives take turns, so that a few accounts already show all of them; all else is drawn. */
function madeUpHabits(seed: number, index: number, id: WorldAccountId): Habits {
  const life = LIVES[(index + LIVES.length - 2) % LIVES.length] ?? 'daytime';
  const rng = createRng(seed, 'life', id);
  const zone = rng.pick(ZONES);
  const shared = { hasYearInSlugs: true, tick: 10, noSilenceHours: null } as const;
  if (life === 'program') {
    const clockMinutes = rng.pick(CLOCK_MINUTES);
    return {
      ...shared,
      day: { type: 'utc', hour: 0 },
      countedPerDay: (24 * 60) / clockMinutes,
      repliesPerDay: 0,
      wakeHour: 0,
      sleepHour: 24,
      clockMinutes,
      repostShare: 0,
      quoteShare: 0,
      meanBurst: 0,
      swing: { slow: 0, fast: 0 },
      silenceChance: 0,
    };
  }
  const countedPerDay = logarithmicBetween(rng, COUNTED_PER_DAY[life]);
  const wakesAt = life === 'owl' ? rng.between(12, 15) : rng.between(6, 9);
  return {
    ...shared,
    day: { type: 'utc', hour: wakesAt - 1 - zone },
    countedPerDay,
    repliesPerDay: countedPerDay * rng.between(0.1, 1),
    wakeHour: 1,
    sleepHour: rng.between(15.5, 18.5),
    clockMinutes: null,
    repostShare: rng.between(0.1, 0.6),
    quoteShare: rng.between(0.1, 0.35),
    meanBurst: life === 'heavy' ? rng.between(2, 4) : rng.between(0.5, 2),
    swing: { slow: rng.between(0.1, 0.3), fast: rng.between(0.15, 0.35) },
    silenceChance: life === 'comes-and-goes' ? rng.between(0.05, 0.12) : 0,
  };
}

function logarithmicBetween(rng: Rng, [least, most]: readonly [number, number]): number {
  return Math.exp(rng.between(Math.log(least), Math.log(most)));
}
