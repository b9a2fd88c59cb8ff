import { z } from 'zod';
import {
  type AccountId,
  type AccountPrior,
  type CountingRule,
  type LimitedInput,
  USUAL_RULE,
} from '../../streams/internal.ts';
import type { AccountPolicy, PublicAccount } from '../contract/account.ts';
import type { Fault } from '../errors.ts';
import { type AccountEntry, readEntry } from './account-entry.ts';
import { type Given, quote } from './faults.ts';
import type { Format } from './formats.ts';
import { type PollingConfig, pollingFaults, stalePostsMs, toPolling } from './polling.ts';

/** How the outside world knows an account. What is absent comes from the world, or from the catalogue of live ones. */
interface AccountProvider {
  readonly handle?: string | undefined;
  /** The posts API's id of the user: digits. */
  readonly userId?: string | undefined;
  /** The oracle's name of the platform the account posts on. */
  readonly platform?: string | undefined;
  /** The oracle's name of the account, where that is not its handle. */
  readonly oracleId?: string | undefined;
  readonly seriesSlugs?: readonly string[] | undefined;
  readonly slugPrefixes?: readonly string[] | undefined;
}

export interface AccountConfig extends PublicAccount {
  /** Stable for the life of a data folder. */
  readonly id: AccountId;
  readonly rule: CountingRule;
  /** Inputs older than this are stale, in ms. */
  readonly staleAfterMs: Readonly<Record<LimitedInput, number>>;
  /** What is known of the account beside its posts; null for nothing. */
  readonly prior: AccountPrior | null;
  readonly polling: PollingConfig;
  readonly provider: AccountProvider;
}

interface AccountDefaults {
  readonly pollingMs: number;
  readonly staleAfterMs: AccountConfig['staleAfterMs'];
}

/** Policy of account A of the specification, and of every account that is not told otherwise. */
const USUAL_POLICY: AccountPolicy = {
  hasVelocity: true,
  hasSizing: true,
  hasRebalancing: true,
  isBuyOnly: false,
  freeFields: [],
};

type SegmentSetting = 'accountA' | 'accountB';

/** The accounts of the specification: they have a setting for their segment, and one has a policy of its own. */
const SPECIFIED: ReadonlyMap<
  AccountId,
  { readonly setting: SegmentSetting; readonly policy: AccountPolicy }
> = new Map([
  ['a', { setting: 'accountA', policy: USUAL_POLICY }],
  [
    'b',
    {
      setting: 'accountB',
      policy: {
        hasVelocity: false,
        hasSizing: false,
        hasRebalancing: false,
        isBuyOnly: true,
        freeFields: [],
      },
    },
  ],
]);

const MOST_ACCOUNTS = 1_000;

/** A number of accounts, or a list of them. The entries are read later, as each of their faults has a place of its own. */
export const accountList: Format<number | readonly unknown[]> = {
  schema: z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : value),
    z.union([z.int().min(1).max(MOST_ACCOUNTS), z.array(z.unknown()).min(1).max(MOST_ACCOUNTS).readonly()]),
  ),
  expects: `a number from 1 to ${MOST_ACCOUNTS}, or in the config file a list of accounts`,
  argument: 'number',
};

/** An entry, where it stands, and its segment. */
interface Placed {
  readonly entry: AccountEntry;
  readonly place: string;
  readonly segment: Given;
  /** Whether somebody chose the segment. Otherwise it follows from the id. */
  readonly isSegmentGiven: boolean;
}

interface AccountsInput {
  readonly accounts: number | readonly unknown[];
  /** Where they were given. */
  readonly place: string;
  /** The value of a setting for a segment, if it was given. */
  readonly segmentOf: (setting: SegmentSetting) => Given | undefined;
  readonly defaults: AccountDefaults;
}

interface AccountsRead {
  readonly accounts: readonly AccountConfig[];
  readonly faults: readonly Fault[];
}

/** The accounts, and every fault of their list. */
export function toAccounts(input: AccountsInput): AccountsRead {
  const faults: Fault[] = [];
  const { accounts: given, place } = input;
  const entries =
    typeof given === 'number'
      ? Array.from({ length: given }, (_, index): AccountEntry => ({ id: columnName(index) }))
      : given.map((value, index) => readEntry(value, `${place}[${index}]`, faults));
  const placed = entries.map((entry, index) => withSegment(entry, `${place}[${index}]`, input));
  faults.push(...uselessSegments(entries, input), ...duplicates(placed));
  const accounts = placed.flatMap(({ entry, segment, place: at }) => {
    if (entry.id === undefined) return [];
    const account = toAccount(entry, entry.id, String(segment.value), input.defaults);
    faults.push(...intervalFaults(entry, account, at));
    return [account];
  });
  return { accounts, faults };
}

/** Ids like the names of columns in a spreadsheet: a to z, then aa, ab and so on. */
function columnName(index: number): AccountId {
  const rest = Math.floor(index / 26);
  return (rest === 0 ? '' : columnName(rest - 1)) + String.fromCharCode(97 + (index % 26));
}

/** How many made-up accounts a world needs to have all of these. */
export function madeUpFor(accounts: readonly AccountConfig[]): number {
  return Math.max(
    1,
    ...accounts.map(({ id }) => columnIndex(id) + 1).filter((count) => count <= MOST_ACCOUNTS),
  );
}

function columnIndex(name: AccountId): number {
  if (!/^[a-z]+$/.test(name)) return -1;
  return [...name].reduce((index, letter) => (index + 1) * 26 + letter.charCodeAt(0) - 97, -1);
}

function withSegment(entry: AccountEntry, place: string, { segmentOf }: AccountsInput): Placed {
  const { id, segment } = entry;
  const setting = id === undefined ? undefined : SPECIFIED.get(id)?.setting;
  const given = setting && segmentOf(setting);
  const usual = id === undefined ? undefined : `account_${id}`;
  return {
    entry,
    place,
    segment: given ?? { name: `${place}.segment`, value: segment ?? usual },
    isSegmentGiven: given !== undefined || segment !== undefined,
  };
}

/** Segments of accounts that are not in the list. */
function uselessSegments(entries: readonly AccountEntry[], { segmentOf }: AccountsInput): readonly Fault[] {
  return Array.from(SPECIFIED).flatMap(([id, { setting }]) => {
    const given = segmentOf(setting);
    if (given === undefined || entries.some((entry) => entry.id === id)) return [];
    const msg = `expected no segment, as there is no account ${id}, found ${quote(given.value)}`;
    return [{ loc: [given.name], msg, type: 'value' }];
  });
}

/** What no two accounts may share. */
function duplicates(placed: readonly Placed[]): readonly Fault[] {
  const own = (['id', 'handle', 'userId', 'name'] as const).flatMap((key) =>
    samePairs(placed, ({ entry }) => entry[key]).map(([first, second]) =>
      notAnother(key, { name: `${second.place}.${key}`, value: second.entry[key] }, first),
    ),
  );
  const segments = samePairs(placed, ({ segment }) => segment.value).flatMap(([first, second]) => {
    if (second.isSegmentGiven) return [notAnother('segment', second.segment, first)];
    // The later one has the segment of its id, so the earlier one is at fault, unless the ids are the same.
    return first.isSegmentGiven ? [notAnother('segment', first.segment, second)] : [];
  });
  return [...own, ...segments];
}

function notAnother(what: string, { name, value }: Given, other: Placed): Fault {
  const whose = other.entry.id === undefined ? other.place : `account ${other.entry.id}`;
  const msg = `expected another ${what} than that of ${whose}, found ${quote(value)}`;
  return { loc: [name], msg, type: 'value' };
}

/** Accounts with the same value as an earlier one, with that one. Case makes no difference, as people overlook it. */
function samePairs(
  placed: readonly Placed[],
  sharedIn: (each: Placed) => unknown,
): readonly (readonly [Placed, Placed])[] {
  const seen = new Map<string, Placed>();
  return placed.flatMap((each) => {
    const value = sharedIn(each);
    if (typeof value !== 'string') return [];
    const first = seen.get(value.toLowerCase());
    if (first === undefined) seen.set(value.toLowerCase(), each);
    return first === undefined ? [] : [[first, each] as const];
  });
}

function toAccount(
  entry: AccountEntry,
  id: AccountId,
  segment: string,
  { pollingMs, staleAfterMs }: AccountDefaults,
): AccountConfig {
  const { handle, userId, platform, oracleId, seriesSlugs, slugPrefixes, prior } = entry;
  const polling = toPolling(entry.polling, pollingMs);
  const posts = entry.polling === undefined ? staleAfterMs.posts : stalePostsMs(polling, staleAfterMs.posts);
  const limits = Object.entries(entry.staleSeconds ?? {}).map(([input, limit]) => [input, limit * 1_000]);
  return {
    id,
    segment,
    name: entry.name ?? titleOf(segment),
    policy: { ...(SPECIFIED.get(id)?.policy ?? USUAL_POLICY), ...entry.policy },
    rule: { ...USUAL_RULE, ...entry.rule },
    staleAfterMs: { ...staleAfterMs, posts, ...Object.fromEntries(limits) },
    prior:
      prior?.postsPerDay === undefined || prior.days === undefined
        ? null
        : { postsPerDay: prior.postsPerDay, days: prior.days },
    polling,
    provider: { handle, userId, platform, oracleId, seriesSlugs, slugPrefixes },
  };
}

/** `account_a` as `Account A`. */
function titleOf(segment: string): string {
  const words = segment.split(/[_-]/).filter((word) => word !== '');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ') || segment;
}

/** Looks for posts that come too late for them to be fresh. What both have from other settings is checked with those. */
function intervalFaults(entry: AccountEntry, account: AccountConfig, place: string): readonly Fault[] {
  const { polling, staleAfterMs } = account;
  const given = `${place}.polling`;
  if (entry.polling !== undefined) return pollingFaults(polling, staleAfterMs.posts, given);
  if (entry.staleSeconds?.posts === undefined) return [];
  return pollingFaults(polling, staleAfterMs.posts, given, `${place}.staleSeconds.posts`);
}
