import {
  type AccountId,
  type AgeLimits,
  ageLimit,
  ageOf,
  type EventRecord,
  INPUTS,
  type Input,
  isSame,
  LIMITED_INPUTS,
  type LimitedInput,
  oldestAges,
  ownValueOf,
  type SourceName,
  sourceOf,
} from '../../streams/internal.ts';
import type { WireName } from './account-path.ts';
import type { Latest } from './latest.ts';

export type { AgeLimits } from '../../streams/internal.ts';

/**
 * Ms since the last good answer of each input; null when it never answered, or the record does not use it. Only records
 * of no account have the ages of the list of events and of the spot prices.
 */
export type Ages = Readonly<Record<Input, number | null>> &
  Readonly<Partial<Record<LimitedInput, number | null>>>;

/** The ages of the records of one answer: shared ones, and by key those of records with a value that is behind the rest. */
export interface RecordAges {
  readonly shared: Ages;
  readonly own: ReadonlyMap<string, Ages>;
  /** How much of them is the time since the last tick. */
  readonly sinceTickMs: number;
}

/** The inputs that are late, in the same way. */
export interface RecordLate {
  readonly shared: readonly LimitedInput[];
  readonly own: ReadonlyMap<string, readonly LimitedInput[]>;
}

/** What holds for the record with this key. */
export function ofRecord<T>(
  { shared, own }: { readonly shared: T; readonly own: ReadonlyMap<string, T> },
  key: string,
): T {
  return own.get(key) ?? shared;
}

/** The observation that last changed a record. */
export interface Origin {
  readonly seq: number;
  readonly at: number;
}

/**
 * Ms of the machine since the last tick, as ages are measured by its clock. The calendar alone does not tell where it was
 * set back.
 */
function sinceTick(latest: Latest, tickAt: number, nowMs: number, account?: AccountId): number {
  return Math.round(Math.max(latest.sinceTick(account), (nowMs - tickAt) / latest.speed, 0));
}

/**
 * The age of each source's oldest value at the last tick plus the time since then, so that ages grow even when the engine
 * has stopped.
 */
export function agesNow(latest: Latest, nowMs: number): Readonly<Record<SourceName, number>> {
  const freshness = latest.freshness();
  if (freshness === undefined) return {};
  const sinceTickMs = sinceTick(latest, freshness.at, nowMs);
  return Object.fromEntries(
    Object.entries(oldestAges(freshness.record)).map(([source, ageMs]) => [source, ageMs + sinceTickMs]),
  );
}

/** Names on the wire of the sources that were past their limit at the last tick. */
export function staleSources(latest: Latest, wireName: WireName): readonly string[] {
  return (latest.freshness()?.record.stale ?? []).map(wireName);
}

const NONE: ReadonlyMap<string, Ages> = new Map();

/** The ages for the records of an account, or for records of no account. */
export function agesOf(latest: Latest, nowMs: number, account?: AccountId): RecordAges {
  const freshness = latest.freshness(account);
  const { ages, lagging } = freshness?.record ?? { ages: {} };
  const sinceTickMs = sinceTick(latest, freshness?.at ?? nowMs, nowMs, account);

  function agesWith(event?: EventRecord): Ages {
    const age = (input: LimitedInput) => {
      const source = sourceOf(input, account ?? '');
      const ageMs = ageOf({ ages, ...(lagging && { lagging }) }, source, event && ownValueOf(input, event));
      return ageMs === undefined ? null : ageMs + sinceTickMs;
    };
    return {
      posts: account === undefined ? null : age('posts'),
      oracle: account === undefined ? null : age('oracle'),
      ui: account === undefined ? null : age('ui'),
      prices: age('prices'),
      ...(account === undefined && { events: age('events'), crypto: age('crypto') }),
    };
  }

  const shared = agesWith();
  if (lagging === undefined) return { shared, own: NONE, sinceTickMs };
  const own = new Map<string, Ages>();
  const events = account === undefined ? latest.all('events') : latest.ofAccount('events', account);
  for (const { key, record } of events) {
    const isAsked = account !== undefined || record.subject.type === 'crypto';
    if (isAsked && record.phase === 'active') own.set(key, agesWith(record));
  }
  return { shared, own, sinceTickMs };
}

/** The inputs that are older than their limit. An input that never answered has no age and is not included. */
export function lateInputs(ages: RecordAges, limits: AgeLimits): RecordLate {
  return inputsIn(ages, (input, ageMs) => ageMs > ageLimit(limits, input));
}

/** Those of them that were not late at the last tick, so that the streams know nothing of it. */
export function lateSinceTick(ages: RecordAges, limits: AgeLimits): RecordLate {
  const { sinceTickMs } = ages;
  return inputsIn(ages, (input, ageMs) => {
    const limitMs = ageLimit(limits, input);
    return ageMs > limitMs && ageMs - sinceTickMs <= limitMs;
  });
}

function inputsIn(
  { shared, own }: RecordAges,
  isMeant: (input: LimitedInput, ageMs: number) => boolean,
): RecordLate {
  const meant = (ages: Ages) => LIMITED_INPUTS.filter((input) => isMeant(input, ages[input] ?? 0));
  return { shared: meant(shared), own: new Map(Array.from(own, ([key, ages]) => [key, meant(ages)])) };
}

/** Differs whenever an input of some record is late that was not, or the other way round. */
export function lateMark({ shared, own }: RecordLate): string {
  const marks = Array.from(own, ([key, late]) => (isSame(late, shared) ? '' : `-${key}.${late.join('.')}`));
  return shared.join('.') + marks.join('');
}

/** Adds the inputs that have become late since the record was made, as without ticks it is not made again. */
export function staleNow(stale: readonly Input[], late: readonly LimitedInput[]): readonly Input[] {
  return late.length === 0 ? stale : INPUTS.filter((input) => stale.includes(input) || late.includes(input));
}

export function newest(first: Origin, ...others: readonly (Origin | undefined)[]): Origin {
  return others.reduce<Origin>((best, other) => (other && other.seq > best.seq ? other : best), first);
}

/** A record with its `as_of`. */
export function withAsOf<Fields extends object>(fields: Fields, origin: Origin, ages: Ages) {
  return { ...fields, as_of: { seq: origin.seq, ts: origin.at, ages_ms: ages } };
}

/**
 * The JSON text of a record, which has at least one field, without its ages. The ages change each second and the rest rarely,
 * so the rest is rendered once and `closeRecords` appends the ages. As texts: a copy with a further field takes as long as
 * the JSON of a large record.
 */
export function openRecord(fields: object, origin: Origin): string {
  return openText(JSON.stringify(fields).slice(0, -1), origin);
}

/** The same of the JSON text of the fields, without its last brace. */
export function openText(fields: string, { seq, at }: Origin): string {
  return `${fields},"as_of":{"seq":${seq},"ts":${at},"ages_ms":`;
}

/** The JSON array of open records, with the ages of the one at each index, which most of them share. */
export function closeRecords(open: readonly string[], agesAt: (index: number) => Ages): string {
  let ages: Ages | undefined;
  let end = '';
  const closed = open.map((text, index) => {
    const own = agesAt(index);
    if (own !== ages) {
      ages = own;
      end = `${JSON.stringify(own)}}}`;
    }
    return text + end;
  });
  return `[${closed.join(',')}]`;
}
