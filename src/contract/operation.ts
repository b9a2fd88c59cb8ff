import type * as z from 'zod';
import type { PolicyFlag, PublicAccount } from './account.ts';
import type { ComponentName } from './openapi/components.ts';

/** Refusals that do not follow from the other properties of an operation. */
export type Refusal =
  | 'WalletInvalid'
  | 'EventUnknown'
  | 'MarketUnreachable'
  | 'EventsUnknown'
  | 'ScoresUnknown'
  | 'PastBusy'
  | 'BodyIncomplete'
  | 'BodyTooLarge'
  | 'UnsupportedMediaType'
  | 'StoreUnavailable'
  | 'AlertsUnavailable'
  | 'AlertsFull'
  | 'AlertUnknown'
  | 'StoreDamaged'
  | 'Unauthorized'
  | 'ChannelUnknown'
  | 'UpgradeRequired'
  | 'TooManyFeeds'
  | 'FeedUnavailable';

type Tag = 'Counters' | 'Posts' | 'Predictions' | 'Trading' | 'Performance' | 'Alerts' | 'Usage' | 'Service';

/** One endpoint of the interface. */
export interface Operation {
  /** Unique. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'delete';
  /** The whole path. `{account}` stands for the segment of an account, `{event}` at the end for the id of an event of it. */
  readonly path: string;
  /** What an account has to have for this endpoint; without it every account has the endpoint. */
  readonly needs?: PolicyFlag;
  /** The same for single parameters of the query. */
  readonly parameterNeeds?: Readonly<Record<string, PolicyFlag>>;
  readonly tag: Tag;
  /** Who may call it, as at the gate. */
  readonly access: 'open' | 'public' | 'tiered' | 'PRO' | 'INTERNAL';
  /** Whether it is about what a key keeps, so that no payment buys it; false unless given. */
  readonly isOfKey?: boolean;
  /** Whether calls count towards the hourly limit. */
  readonly isCounted: boolean;
  readonly summary: string;
  readonly description: string;
  /** Without one, what is in the query makes no difference. */
  readonly query?: z.ZodObject;
  readonly body?: ComponentName;
  /** The JSON of a 200, or another media type. */
  readonly answer: ComponentName | `${string}/${string}`;
  /** The JSON of a 503 that has the same meaning as that of a 200. */
  readonly unavailable?: ComponentName;
  /** Whether it has an ETag and may be answered 304. */
  readonly isConditional: boolean;
  readonly refusals?: readonly Refusal[];
}

/** Whether it has one path for each account. */
export function isPerAccount({ path }: Pick<Operation, 'path'>): boolean {
  return path.includes('{account}');
}

/** Whether its path ends with an event of the account. */
export function isPerEvent({ path }: Pick<Operation, 'path'>): boolean {
  return path.endsWith('/{event}');
}

/** The accounts that have it. */
export function accountsWith<A extends PublicAccount>({ needs }: Operation, accounts: readonly A[]) {
  return needs === undefined ? accounts : accounts.filter(({ policy }) => policy[needs]);
}

/** Whether it takes `as_of`, which needs tier PRO. */
export function hasPast({ query }: Operation): boolean {
  return query?.shape.as_of !== undefined;
}

/** Whether a payment can buy what PRO sees. */
export function isSold(operation: Operation): boolean {
  const { access, isOfKey = false } = operation;
  if (isOfKey) return false;
  return access === 'PRO' || access === 'tiered' || hasPast(operation);
}

/** For anyone, whatever key is sent, without a limit. */
export const OPEN = { access: 'open', isCounted: false } as const;
/** For anyone without a key or with a known one, without a limit. */
export const PUBLIC = { access: 'public', isCounted: false } as const;
/** A state with an ETag. */
export const STATE = { method: 'get', isConditional: true } as const;
/** Computed for every call. */
export const ONCE = { method: 'get', isConditional: false } as const;
