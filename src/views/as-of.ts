import {
  type AccountId,
  type AgeLimits,
  ageLimit,
  INPUTS,
  type Input,
  LIMITED_INPUTS,
  type LimitedInput,
  type SourceName,
} from '../../streams/internal.ts';
import { type AccountPath, wireName } from './account-path.ts';
import type { Latest } from './latest.ts';

export type { AgeLimits } from '../../streams/internal.ts';

/**
 * Ms since the last good answer of each input; null when it never answered, or the record does not use it. Only records
 * of no account have the ages of the list of events and of the spot prices.
 */
export type Ages = Readonly<Record<Input, number | null>> &
  Readonly<Partial<Record<LimitedInput, number | null>>>;

/** The observation that last changed a record. */
export interface Origin {
  readonly seq: number;
  readonly at: number;
}

/**
 * The ages at the last tick plus the time since then, so that ages grow even when the engine has stopped. A wall clock
 * that went back adds nothing.
 */
export function agesNow(latest: Latest, nowMs: number): Readonly<Record<SourceName, number>> {
  const freshness = latest.get('freshness', 'all');
  if (freshness === undefined) return {};
  const sinceTickMs = Math.max(0, nowMs - freshness.at);
  return Object.fromEntries(
    Object.entries(freshness.record.ages).map(([source, ageMs]) => [source, ageMs + sinceTickMs]),
  );
}

/** Names on the wire of the sources that were past their limit at the last tick. */
export function staleSources(latest: Latest, accounts: readonly AccountPath[]): readonly string[] {
  const stale = latest.get('freshness', 'all')?.record.stale ?? [];
  return stale.map((source) => wireName(source, accounts));
}

/** The ages for the records of an account, or for records of no account. */
export function agesOf(latest: Latest, nowMs: number, account?: AccountId): Ages {
  const ages = agesNow(latest, nowMs);
  const age = (source: SourceName) => ages[source] ?? null;
  return {
    posts: account === undefined ? null : age(`posts:${account}`),
    oracle: account === undefined ? null : age(`oracle:${account}`),
    ui: account === undefined ? null : age(`ui:${account}`),
    prices: age('prices'),
    ...(account === undefined && { events: age('events'), crypto: age('crypto') }),
  };
}

/** The inputs that are older than their limit. An input that never answered has no age and is not included. */
export function lateInputs(ages: Ages, limits: AgeLimits): readonly LimitedInput[] {
  return LIMITED_INPUTS.filter((input) => (ages[input] ?? 0) > ageLimit(limits, input));
}

/** Adds the inputs that have become late since the record was made, as without ticks it is not made again. */
export function staleNow(stale: readonly Input[], late: readonly LimitedInput[]): readonly Input[] {
  return late.length === 0 ? stale : INPUTS.filter((input) => stale.includes(input) || late.includes(input));
}

export function newest(first: Origin, ...others: readonly (Origin | undefined)[]): Origin {
  return others.reduce<Origin>((best, other) => (other && other.seq > best.seq ? other : best), first);
}

/** A record with its `as_of`. */
export function withAsOf<Fields extends object>(fields: Fields, origin: Origin, ages: Ages | null) {
  return { ...fields, as_of: { seq: origin.seq, ts: origin.at, ages_ms: ages } };
}

const UNKNOWN_AGES = 'null}}';

/**
 * The JSON text of a record without its ages. The ages change each second and the rest rarely, so the rest is rendered
 * once and `closeRecords` appends the ages.
 */
export function openRecord(fields: object, origin: Origin): string {
  return JSON.stringify(withAsOf(fields, origin, null)).slice(0, -UNKNOWN_AGES.length);
}

/** The JSON array of open records that share their ages. */
export function closeRecords(open: readonly string[], ages: Ages): string {
  if (open.length === 0) return '[]';
  const end = `${JSON.stringify(ages)}}}`;
  return `[${open.join(`${end},`)}${end}]`;
}
