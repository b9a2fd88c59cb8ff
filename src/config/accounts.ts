import * as z from 'zod';
import {
  type AccountId,
  type AccountPrior,
  type CountingRule,
  type LimitedInput,
  type PostsVia,
  USUAL_RULE,
} from '../../streams/internal.ts';
import type { AccountPolicy, PublicAccount } from '../contract/account.ts';
import type { Fault } from '../errors.ts';
import { type AccountEntry, readEntry } from './account-entry.ts';
import { type Given, unexpected } from './faults.ts';
import type { Format } from './formats.ts';
import { MOST_ACCOUNTS, madeUpId } from './made-up-accounts.ts';
import { limitFaults, type PollingConfig, pollingFaults, stalePostsMs, toPolling } from './polling.ts';
import { type PlacedEntry, sharedFaults } from './shared-by-accounts.ts';

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
  /** Where its posts are read, if both are possible. */
  readonly postsFrom?: PostsVia | undefined;
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
  /** Whether the timelines of the world can be read: those of the live one need a token. */
  readonly hasTimelines: boolean;
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

/** A number of accounts, or a list of them. The entries are read later, as each of their faults has a place of its own. */
export const accountList: Format<number | readonly unknown[]> = {
  schema: z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : value),
    z.union([z.int().min(1).max(MOST_ACCOUNTS), z.array(z.unknown()).min(1).max(MOST_ACCOUNTS).readonly()]),
  ),
  expects: `a number from 1 to ${MOST_ACCOUNTS}, or in the config file a list of accounts`,
  argument: 'number',
};

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
      ? Array.from({ length: given }, (_, index): AccountEntry => ({ id: madeUpId(index) }))
      : given.map((value, index) => readEntry(value, `${place}[${index}]`, faults));
  const placed = entries.map((entry, index) => withSegment(entry, `${place}[${index}]`, input));
  faults.push(...uselessSegments(entries, input), ...sharedFaults(placed));
  const accounts = placed.flatMap(({ entry, segment, place: at }) => {
    if (entry.id === undefined) return [];
    const account = toAccount(entry, entry.id, String(segment.value), input.defaults);
    faults.push(...policyFaults(account, at), ...intervalFaults(entry, account, at));
    if (entry.postsFrom === 'timeline' && !input.defaults.hasTimelines) {
      const expected = 'oracle_list, as the timeline of the live world cannot be read without a token';
      faults.push(unexpected(`${at}.postsFrom`, expected, entry.postsFrom));
    }
    return [account];
  });
  return { accounts, faults };
}

function withSegment(entry: AccountEntry, place: string, { segmentOf }: AccountsInput): PlacedEntry {
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
    return [unexpected(given.name, `no segment, as there is no account ${id}`, given.value)];
  });
}

function toAccount(
  entry: AccountEntry,
  id: AccountId,
  segment: string,
  { pollingMs, staleAfterMs }: AccountDefaults,
): AccountConfig {
  const { handle, userId, platform, oracleId, seriesSlugs, slugPrefixes, postsFrom, prior } = entry;
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
    provider: { handle, userId, platform, oracleId, seriesSlugs, slugPrefixes, postsFrom },
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
  if (entry.polling !== undefined) return pollingFaults(polling, staleAfterMs.posts, `${place}.polling`);
  if (entry.staleSeconds?.posts === undefined) return [];
  return limitFaults(polling, staleAfterMs.posts, `${place}.staleSeconds.posts`);
}

/** Nobody can be shown what the account does not have. */
function policyFaults({ policy }: AccountConfig, place: string): readonly Fault[] {
  const { hasVelocity, freeFields } = policy;
  if (hasVelocity || !freeFields.some((field) => field.startsWith('velocity_'))) return [];
  const expected = 'no velocity, as the account has none';
  return [unexpected(`${place}.policy.freeFields`, expected, freeFields.join(', '))];
}
