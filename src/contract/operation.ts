import type { z } from 'zod';
import type { ComponentName } from './openapi/components.ts';

/** What may go wrong beside what follows from the other properties of an operation. */
export type Refusal =
  | 'WalletInvalid'
  | 'MarketUnreachable'
  | 'PastBusy'
  | 'BodyIncomplete'
  | 'BodyTooLarge'
  | 'UnsupportedMediaType'
  | 'StoreUnavailable'
  | 'Unauthorized'
  | 'ChannelUnknown'
  | 'UpgradeRequired'
  | 'TooManyFeeds'
  | 'FeedUnavailable';

export type Tag = 'Counters' | 'Posts' | 'Predictions' | 'Trading' | 'Performance' | 'Usage' | 'Service';

/** One thing a caller can ask for. */
export interface Operation {
  /** Unique; the id of the account is put behind it where there is one. */
  readonly id: string;
  readonly method: 'get' | 'post';
  /** The whole path. `{account}` stands for the segment of each account, but for those left out by `accounts`. */
  readonly path: string;
  readonly accounts?: 'first' | 'others';
  readonly tag: Tag;
  /** As of the gate: who is served. */
  readonly access: 'open' | 'tiered' | 'PRO' | 'INTERNAL';
  /** Whether calls count towards the hourly limit. */
  readonly isCounted: boolean;
  readonly summary: string;
  readonly description: string;
  readonly query?: z.ZodObject;
  /** Takes `as_of`, whoever else is served: that is for tier PRO. */
  readonly hasPast?: boolean;
  readonly body?: ComponentName;
  /** The JSON of a 200, or the media type of what is no JSON. */
  readonly answer: ComponentName | `${string}/${string}`;
  /** The JSON of a 503 that tells the same as a 200, when there is one. */
  readonly unavailable?: ComponentName;
  /** Has a tag and is answered 304 when the caller knows it. */
  readonly isConditional: boolean;
  readonly refusals?: readonly Refusal[];
}

/** For anyone, as often as wanted. */
export const OPEN = { access: 'open', isCounted: false } as const;
/** A state that has a tag. */
export const STATE = { method: 'get', isConditional: true } as const;
/** Made anew for every call. */
export const ONCE = { method: 'get', isConditional: false } as const;
