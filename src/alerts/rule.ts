import type { AccountId } from '../../streams/internal.ts';
import type { AlertCondition } from '../contract/alert-figures.ts';
import type { ALERT_TARGETS } from '../contract/alert-rule.ts';

/** Where alerts are sent. What it holds beside its type may be a secret. */
interface AlertTarget {
  readonly type: (typeof ALERT_TARGETS)[number];
  readonly url: string;
  readonly secret: string | null;
  readonly token: string | null;
  readonly chat: string | null;
}

/** Who made a rule: the config file, the operator at the command line, or a key. */
export type RuleOwner =
  | { readonly type: 'config' }
  | { readonly type: 'operator' }
  | { readonly type: 'key'; readonly id: string };

/** What to watch, and where to send alerts. It is never changed. */
export interface AlertRule {
  readonly id: string;
  readonly owner: RuleOwner;
  readonly name: string | null;
  readonly account: AccountId;
  /** Null: every open event. */
  readonly event: number | null;
  /** Null: every bucket. */
  readonly bucket: string | null;
  readonly when: AlertCondition;
  readonly rearm: number | null;
  readonly once: boolean;
  readonly cooldownMs: number;
  readonly target: AlertTarget;
  /** UTC ms. */
  readonly createdAt: number;
}

/** What a figure was read of: the account, an event of it, or a bucket of an event. */
export interface Subject {
  readonly event: number | null;
  readonly bucket: string | null;
}

/** One alert. It is the same however often it is sent. */
export interface Alert extends Subject {
  /** Of the rule and of the observation that made its condition true: receivers drop what they have seen. */
  readonly id: string;
  readonly rule: string;
  /** Counts the alerts of the rule from 1 on. */
  readonly n: number;
  readonly seq: number;
  /** When that observation was received, UTC ms. */
  readonly at: number;
  readonly account: AccountId;
  readonly eventTitle: string | null;
  readonly value: number;
}

/** An alert that was not delivered yet, or never will be. */
export interface QueuedAlert extends Alert {
  readonly tries: number;
  /** Why the last try failed; null before the first one. */
  readonly failure: string | null;
}

export function subjectKey({ event, bucket }: Subject): string {
  return bucket === null ? String(event ?? '') : `${event} ${bucket}`;
}
