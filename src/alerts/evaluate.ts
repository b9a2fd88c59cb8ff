import { hash } from 'node:crypto';
import type { EventRecord, Output } from '../../streams/internal.ts';
import { holds, isBack } from './condition.ts';
import { readerOf } from './figures.ts';
import type { Known } from './known.ts';
import { type Alert, type AlertRule, type Subject, subjectKey } from './rule.ts';

/** What is known of a subject whose condition held: when its last alert was, 0 for none, and whether it may have another. */
interface Mark {
  readonly at: number;
  readonly isArmed: boolean;
}

/** What a rule remembers. A subject without a mark is armed. */
export interface RuleState {
  /** How many alerts there were. */
  readonly n: number;
  readonly marks: Readonly<Record<string, Mark>>;
}

interface Evaluated {
  readonly state: RuleState;
  readonly alerts: readonly Alert[];
}

/** The state of a new rule: what holds already has to become true anew. */
export function firstState(rule: AlertRule, known: Known): RuleState {
  const marks: Record<string, Mark> = {};
  for (const subject of allSubjects(rule, known)) {
    const value = figureOf(rule, known, subject);
    if (value !== null && holds(rule.when, value)) marks[subjectKey(subject)] = { at: 0, isArmed: false };
  }
  return { n: 0, marks };
}

/**
 * What comes of the outputs of one observation for one rule, where `known` has them already. The same rule, state and
 * outputs give the same alerts. Returns the very same state when nothing changed.
 */
export function evaluate(
  rule: AlertRule,
  before: RuleState,
  known: Known,
  outputs: readonly Output[],
): Evaluated {
  const [first] = outputs;
  if (first === undefined) return { state: before, alerts: [] };
  let state = withoutClosed(before, outputs);
  const alerts: Alert[] = [];
  for (const subject of touchedSubjects(rule, known, outputs)) {
    const value = figureOf(rule, known, subject);
    if (value === null) continue;
    const key = subjectKey(subject);
    const mark = state.marks[key];
    const next = nextMark(rule, mark, value, first.at);
    if (next === mark) continue;
    const { [key]: _, ...others } = state.marks;
    const isAlert = next !== undefined && !next.isArmed && (mark === undefined || mark.isArmed);
    state = {
      n: state.n + (isAlert ? 1 : 0),
      marks: next === undefined ? others : { ...others, [key]: next },
    };
    if (isAlert) alerts.push(alertOf(rule, subject, value, state.n, first, known));
  }
  return { state, alerts };
}

function nextMark(rule: AlertRule, mark: Mark | undefined, value: number, at: number): Mark | undefined {
  const { when, rearm, once, cooldownMs } = rule;
  if (mark === undefined || mark.isArmed) {
    const isCool = mark === undefined || at - mark.at >= cooldownMs;
    return isCool && holds(when, value) ? { at, isArmed: false } : mark;
  }
  const wasAlert = mark.at > 0;
  if ((once && wasAlert) || !isBack(when, rearm, value)) return mark;
  return cooldownMs > 0 && wasAlert ? { at: mark.at, isArmed: true } : undefined;
}

function alertOf(
  rule: AlertRule,
  subject: Subject,
  value: number,
  n: number,
  { seq, at }: Pick<Output, 'seq' | 'at'>,
  known: Known,
): Alert {
  const event = subject.event === null ? undefined : known.event(subject.event);
  // A log that was lost and began anew gives the same seq to something else, at another time.
  const digest = hash('sha256', JSON.stringify([at, subjectKey(subject)]), 'base64url').slice(0, 8);
  return {
    id: `${rule.id}-${seq}-${digest}`,
    rule: rule.id,
    n,
    seq,
    at,
    account: rule.account,
    ...subject,
    eventTitle: event?.title ?? null,
    value,
  };
}

function figureOf({ when, account }: AlertRule, known: Known, { event, bucket }: Subject): number | null {
  const reader = readerOf(when.figure);
  if (reader.of === 'account') return reader.read(known, account);
  const record = event === null ? undefined : known.event(event);
  if (record === undefined) return null;
  if (reader.of === 'event') return reader.read(known, record);
  const found = record.buckets.find(({ title }) => title === bucket);
  return found === undefined ? null : reader.read(known, record, found);
}

function isWatchedBy(rule: AlertRule, { subject, eventId }: EventRecord): boolean {
  const isOfAccount = subject.type === 'posts' && subject.account === rule.account;
  return isOfAccount && (rule.event === null || rule.event === eventId);
}

/** The subjects of an event; of a token only its bucket. */
function subjectsOf(rule: AlertRule, event: EventRecord, token?: string): readonly Subject[] {
  if (!isWatchedBy(rule, event)) return [];
  const { eventId, buckets } = event;
  if (readerOf(rule.when.figure).of === 'event') return [{ event: eventId, bucket: null }];
  return buckets
    .filter(({ title }) => rule.bucket === null || rule.bucket === title)
    .filter(({ yesToken }) => token === undefined || token === yesToken)
    .map(({ title }) => ({ event: eventId, bucket: title }));
}

function allSubjects(rule: AlertRule, known: Known): readonly Subject[] {
  if (readerOf(rule.when.figure).of === 'account') return [{ event: null, bucket: null }];
  return Array.from(known.events()).flatMap((event) => subjectsOf(rule, event));
}

/** The subjects whose figure the outputs may have changed, each once. */
function touchedSubjects(rule: AlertRule, known: Known, outputs: readonly Output[]): Iterable<Subject> {
  const { of, movedBy } = readerOf(rule.when.figure);
  const touched = new Map<string, Subject>();
  for (const output of outputs) {
    if (!movedBy.some((stream) => stream === output.stream)) continue;
    for (const subject of touchedBy(rule, of, known, output)) touched.set(subjectKey(subject), subject);
  }
  return touched.values();
}

function touchedBy(rule: AlertRule, of: string, known: Known, output: Output): readonly Subject[] {
  switch (output.stream) {
    case 'velocity':
    case 'lag':
      return of === 'account' && output.record.account === rule.account
        ? [{ event: null, bucket: null }]
        : [];
    case 'events':
    case 'counters':
    case 'predictions':
    case 'prices': {
      const event = known.event(output.record.eventId);
      const token = output.stream === 'prices' ? output.record.token : undefined;
      return event === undefined ? [] : subjectsOf(rule, event, token);
    }
    default:
      return [];
  }
}

/** Forgets the marks of events that are over. */
function withoutClosed(state: RuleState, outputs: readonly Output[]): RuleState {
  let { marks } = state;
  for (const output of outputs) {
    if (output.stream !== 'events' || output.record.phase !== 'closed') continue;
    const event = String(output.record.eventId);
    const kept = Object.entries(marks).filter(([key]) => key !== event && !key.startsWith(`${event} `));
    if (kept.length < Object.keys(marks).length) marks = Object.fromEntries(kept);
  }
  return marks === state.marks ? state : { ...state, marks };
}
