import { type AccountId, INPUTS, type Input, type SourceName } from '../../streams/internal.ts';
import type { Latest } from './latest.ts';

/** Ms since each input's last good answer; null: never seen, or not an input. */
export type Ages = Readonly<Record<Input, number | null>>;

/** Which observation a record was last changed by. */
export interface Origin {
  readonly seq: number;
  readonly at: number;
}

/** The limit of each input's age, in ms. */
export type AgeLimits = Readonly<Record<Input, number>>;

/**
 * The ages as they are now: those of the last tick plus the time since, so that an engine that has stopped
 * ticking is seen too. A wall clock that went back adds nothing.
 */
export function agesNow(latest: Latest, nowMs: number): Readonly<Record<SourceName, number>> {
  const freshness = latest.get('freshness', 'all');
  if (freshness === undefined) return {};
  const sinceTickMs = Math.max(0, nowMs - freshness.at);
  return Object.fromEntries(
    Object.entries(freshness.record.ages).map(([source, ageMs]) => [source, ageMs + sinceTickMs]),
  );
}

/** The ages that matter to an account's records, or to those of no account. */
export function agesOf(latest: Latest, nowMs: number, account?: AccountId): Ages {
  const ages = agesNow(latest, nowMs);
  const age = (source: SourceName) => ages[source] ?? null;
  return {
    posts: account === undefined ? null : age(`posts:${account}`),
    oracle: account === undefined ? null : age(`oracle:${account}`),
    ui: account === undefined ? null : age(`ui:${account}`),
    prices: age('prices'),
  };
}

/** The inputs that are past their limit. An input that never answered is not among them: its value is null. */
export function lateInputs(ages: Ages, limits: AgeLimits): readonly Input[] {
  return INPUTS.filter((input) => (ages[input] ?? 0) > limits[input]);
}

/** The inputs a record lists as stale, with those that have become late since: without ticks no record is made anew. */
export function staleNow(stale: readonly Input[], late: readonly Input[]): readonly Input[] {
  return late.length === 0 ? stale : INPUTS.filter((input) => stale.includes(input) || late.includes(input));
}

/** The newest of several origins. */
export function newest(first: Origin, ...others: readonly (Origin | undefined)[]): Origin {
  return others.reduce<Origin>((best, other) => (other && other.seq > best.seq ? other : best), first);
}

/** A record with its `as_of`, as any reader sees it. */
export function withAsOf<Fields extends object>(fields: Fields, origin: Origin, ages: Ages | null) {
  return { ...fields, as_of: { seq: origin.seq, ts: origin.at, ages_ms: ages } };
}

const UNKNOWN_AGES = 'null}}';

/**
 * The JSON text of a record up to its ages. The ages move each second and the rest rarely, so the rest is
 * turned into text once and the ages are put in by `closeRecords`.
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
