import { uuid } from '../rng.ts';

export type WorldAccountId = 'a' | 'b';

/** Who posts, how much and when. Hours are counted from the start of the account's own day. */
export interface Account {
  readonly id: WorldAccountId;
  readonly name: string;
  readonly handle: string;
  readonly userId: string;
  readonly oracleUserId: string;
  readonly slugPrefix: string;
  /** The series: weekly, two days, month. */
  readonly seriesSlugs: readonly [string, string, string];
  readonly countedPerDay: number;
  readonly repliesPerDay: number;
  readonly wakeHour: number;
  readonly sleepHour: number;
  /** The hour of the account's day when the world starts: A is then at its busiest, B in its evening. */
  readonly hourAtStart: number;
  readonly repostShare: number;
  readonly quoteShare: number;
  readonly meanBurst: number;
}

function seriesSlugs(prefix: string): readonly [string, string, string] {
  return [`${prefix}-posts`, `${prefix}-posts-48h`, `${prefix}-posts-monthly`];
}

export const ACCOUNTS: readonly [Account, Account] = [
  {
    id: 'a',
    name: 'Account A',
    handle: 'account_a_handle',
    userId: '1000000001',
    oracleUserId: uuid('oracle user', 'a'),
    slugPrefix: 'account-a',
    seriesSlugs: seriesSlugs('account-a'),
    countedPerDay: 120,
    repliesPerDay: 60,
    wakeHour: 0.8,
    sleepHour: 17.5,
    hourAtStart: 5,
    repostShare: 0.55,
    quoteShare: 0.33,
    meanBurst: 5,
  },
  {
    id: 'b',
    name: 'Account B',
    handle: 'account_b_handle',
    userId: '1000000002',
    oracleUserId: uuid('oracle user', 'b'),
    slugPrefix: 'account-b',
    seriesSlugs: seriesSlugs('account-b'),
    countedPerDay: 25,
    repliesPerDay: 5,
    wakeHour: 0.8,
    sleepHour: 16.5,
    hourAtStart: 12,
    repostShare: 0.3,
    quoteShare: 0.2,
    meanBurst: 2,
  },
];

export function accountOf(id: WorldAccountId): Account {
  return id === 'a' ? ACCOUNTS[0] : ACCOUNTS[1];
}
