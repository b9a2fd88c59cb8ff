import type { z } from 'zod';
import type { ComponentName } from './openapi/components.ts';

/** Refusals that do not follow from the other properties of an operation. */
export type Refusal =
  | 'WalletInvalid'
  | 'MarketUnreachable'
  | 'PastBusy'
  | 'EventsUnknown'
  | 'SignalsUnavailable'
  | 'BodyIncomplete'
  | 'BodyTooLarge'
  | 'UnsupportedMediaType'
  | 'StoreUnavailable'
  | 'Unauthorized'
  | 'ChannelUnknown'
  | 'UpgradeRequired'
  | 'TooManyFeeds'
  | 'FeedUnavailable';

type Tag = 'Counters' | 'Posts' | 'Predictions' | 'Trading' | 'Performance' | 'Usage' | 'Service';

/** One endpoint of the interface. */
export interface Operation {
  /** Unique. For an endpoint of an account, the account's id is appended. */
  readonly id: string;
  readonly method: 'get' | 'post';
  /** The whole path. `{account}` stands for the segment of each account that `accounts` selects. */
  readonly path: string;
  readonly accounts?: 'first' | 'others';
  readonly tag: Tag;
  /** Who may call it, as at the gate. */
  readonly access: 'open' | 'tiered' | 'PRO' | 'INTERNAL';
  /** Whether calls count towards the hourly limit. */
  readonly isCounted: boolean;
  readonly summary: string;
  readonly description: string;
  readonly query?: z.ZodObject;
  /** Whether it takes `as_of`, which needs tier PRO. */
  readonly hasPast?: boolean;
  readonly body?: ComponentName;
  /** The JSON of a 200, or another media type. */
  readonly answer: ComponentName | `${string}/${string}`;
  /** The JSON of a 503 that has the same meaning as that of a 200. */
  readonly unavailable?: ComponentName;
  /** Whether it has an ETag and may be answered 304. */
  readonly isConditional: boolean;
  readonly refusals?: readonly Refusal[];
}

/** For anyone, without a limit. */
export const OPEN = { access: 'open', isCounted: false } as const;
/** A state with an ETag. */
export const STATE = { method: 'get', isConditional: true } as const;
/** Computed for every call. */
export const ONCE = { method: 'get', isConditional: false } as const;
