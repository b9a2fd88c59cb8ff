import {
  type AccountId,
  DAY_MS,
  type EventRecord,
  type Output,
  phaseAt,
  type StreamName,
} from '../../streams/internal.ts';
import { type KeptOutput, PRUNED_BEFORE_NOTE, type Store, type TimelineEntry } from '../store/store.ts';
import { LISTED_FOR_MS } from './active-events.ts';
import { createLatest, type Latest, NEWEST_POSTS, type OutputOf } from './latest.ts';
import { type MinutesQuestion, type ReadMinutes, readMinutes } from './minutes.ts';
import { createOutputLookup } from './output-lookup.ts';
import { MOST_OBSERVATIONS, SIGNAL_INPUTS, SIGNAL_WINDOWS_MS, signalsAt } from './past-signals.ts';
import { newestFirst } from './post-list.ts';
import { watchTicks } from './tick-places.ts';

/** The market may have moved an event's window since then, by at most this. */
const WINDOW_SLACK_MS = 2 * DAY_MS;
/** An event has no outputs earlier than this before its window opens. */
const LISTED_BEFORE_MS = 14 * DAY_MS;
/** A source corrects the time of a post by less than this. */
const CREATED_SLACK_MS = DAY_MS;
/** Ticks come each second, so one is among this many observations unless the engine was overloaded. */
const TICK_WITHIN = 2_000;

/** The values that readers saw at an earlier instant, from what was stored by then. */
export interface Past {
  /** When the oldest stored observation was received; null while there is none. */
  fromAt(): number | null;
  /** Seq of the last observation received at or before `at`. */
  seqAt(at: number): number;
  /**
   * The latest values of some streams after observation `seq`: those of an account's active events, and those of the
   * account itself. The events have their phases at `at`.
   */
  of(account: AccountId, seq: number, at: number, streams: readonly StreamName[]): Promise<Latest>;
  /** A page of the account's posts as they were known after observation `seq`, newest first. */
  posts(
    account: AccountId,
    seq: number,
    at: number,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<readonly OutputOf<'posts'>[]>;
  /** The minutes of an event that are kept and published. */
  minutes(question: Omit<MinutesQuestion, 'firstSeq' | 'lastSeq'>): Promise<ReadMinutes>;
}

interface PastOptions {
  /** How far before the instant the computation of signals begins, in turn until it is known when they changed. */
  readonly windowsMs?: readonly number[];
  /** The most observations that it begins before the instant. */
  readonly mostObservations?: number;
}

type EventOutput = OutputOf<'events'>;

export function openPast(
  { journal, outputs, notes }: Pick<Store, 'journal' | 'outputs' | 'notes'>,
  now: Latest,
  { windowsMs = SIGNAL_WINDOWS_MS, mostObservations = MOST_OBSERVATIONS }: PastOptions = {},
): Past {
  const lookup = createOutputLookup(outputs);
  const ticks = watchTicks(now);

  function firstSeq(): number {
    return Math.max(journal.tail, Number(notes.get(PRUNED_BEFORE_NOTE) ?? 0));
  }

  /** The last output of each key up to `seq`: usually the latest one, else an earlier one from the store. */
  async function lastOf(
    stream: StreamName,
    keys: Iterable<string>,
    seq: number,
    sinceAt: number,
  ): Promise<readonly Output[]> {
    const still: Output[] = [];
    const changed = new Set<string>();
    for (const key of keys) {
      const latest = now.get(stream, key);
      // A key without an output now had none then either.
      if (latest === undefined) continue;
      if (latest.seq <= seq) still.push(latest);
      else changed.add(key);
    }
    if (changed.size === 0) return still;
    // Several observations may have been received in the same millisecond.
    const floorSeq = Math.max(firstSeq(), journal.seqAt(sinceAt - 1));
    return [...still, ...(await lookup.find(stream, changed, { seq, floorSeq }))];
  }

  /** The events that may have been active. Each had an output when its window opened. */
  async function eventsAt(account: AccountId, seq: number, at: number): Promise<readonly EventOutput[]> {
    const near = Array.from(now.windows(account)).filter(
      ({ startAt, endAt }) =>
        startAt !== null && startAt <= at + WINDOW_SLACK_MS && endAt > at - WINDOW_SLACK_MS,
    );
    const keys = near.map(({ key }) => key);
    const sinceAt = Math.min(at, ...near.map(({ startAt }) => startAt ?? at)) - WINDOW_SLACK_MS;
    const found = await lastOf('events', keys, seq, sinceAt);
    return found.flatMap((output) => (output.stream === 'events' ? [output] : []));
  }

  /** The scores that were known, oldest first. Nothing is scored before its event ends. */
  async function scoresAt(account: AccountId, seq: number, at: number): Promise<readonly Output[]> {
    const scored = Array.from(now.ofAccount('scores', account)).filter(({ record }) => record.endAt <= at);
    const later = scored.filter((score) => score.seq > seq).map(({ record }) => record.endAt);
    const keys = scored.map(({ key }) => key);
    const found = await lastOf('scores', keys, seq, Math.min(at, ...later));
    return found.toSorted((a, b) => a.seq - b.seq);
  }

  /** The outputs of a stream that belong to the account and the given events of it. */
  async function valuesOf(
    stream: StreamName,
    account: AccountId,
    events: readonly EventOutput[],
    { seq, at }: { readonly seq: number; readonly at: number },
  ): Promise<readonly Output[]> {
    const sinceAt = Math.min(at, ...events.map(({ record }) => record.startAt ?? at)) - LISTED_BEFORE_MS;
    const keys = events.map(({ key }) => key);
    switch (stream) {
      case 'events':
        return events;
      case 'counters':
      case 'predictions':
        return lastOf(stream, keys, seq, sinceAt);
      case 'prices': {
        const tokens = events.flatMap(({ record }) => record.buckets.map(({ yesToken }) => yesToken));
        return lastOf(stream, tokens, seq, sinceAt);
      }
      case 'posts':
        return postsAt(account, { seq, at }, { offset: 0, limit: NEWEST_POSTS });
      case 'velocity':
      case 'lag':
        return lastOf(stream, [account], seq, 0);
      case 'scores':
        return scoresAt(account, seq, at);
      case 'decisions':
        // They never change.
        return Array.from(now.ofAccount(stream, account)).filter((output) => output.seq <= seq);
      case 'signals':
        return signalsOf(account, keys, { seq, at });
      default:
        throw new TypeError(`the past of ${stream} is not read`);
    }
  }

  async function signalsOf(
    account: AccountId,
    keys: readonly string[],
    place: { readonly seq: number; readonly at: number },
  ): Promise<readonly Output[]> {
    const latest = keys.map((key) => now.get('signals', key));
    // Those of an event that is long over may be in memory no more.
    const still = latest.filter((output) => output !== undefined && output.seq <= place.seq);
    if (still.length === keys.length) return still.flatMap((output) => output ?? []);
    const inputsAt = async ({ seq, at }: { readonly seq: number; readonly at: number }) => {
      const events = await eventsAt(account, seq, at);
      const inputs: Output[] = [];
      for (const stream of SIGNAL_INPUTS)
        inputs.push(...(await valuesOf(stream, account, events, { seq, at })));
      return inputs;
    };
    const isOwn = (output: Output) => isAbout(account, output, now);
    const mayBeOwn = mayBeAbout(account, now);
    const ticksBetween = ticks.between;
    const deps = { journal, outputs, inputsAt, isOwn, mayBeOwn, windowsMs, mostObservations, ticksBetween };
    return signalsAt(deps, place);
  }

  async function postsAt(
    account: AccountId,
    { seq, at }: { readonly seq: number; readonly at: number },
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Promise<readonly OutputOf<'posts'>[]> {
    const changed: TimelineEntry[] = [];
    const still: TimelineEntry[] = [];
    let oldestAt = Number.NEGATIVE_INFINITY;
    for (const entry of now.posts(account).entries()) {
      // None that is older can have been on the page or before it, whatever has changed since.
      if (entry.createdAt < oldestAt - CREATED_SLACK_MS) break;
      if (entry.seq > seq) {
        if (entry.seenAt <= at) changed.push(entry);
      } else if (still.length < offset + limit) {
        still.push(entry);
        if (still.length === offset + limit) oldestAt = entry.createdAt;
      }
    }
    // Where none has changed since, these are the page.
    const first = changed.length === 0 ? offset : 0;
    const posts: OutputOf<'posts'>[] = [];
    for (const entry of still.slice(first, offset + limit)) {
      const post = now.get('posts', entry.key);
      if (post === undefined) continue;
      // It is read from the store, which is ahead of what readers see while a turn is published.
      if (post.seq <= seq) posts.push(post);
      else changed.push(entry);
    }
    if (changed.length === 0) return posts;
    const keys = changed.map(({ key }) => key);
    const sinceAt = Math.min(at, ...changed.map(({ seenAt }) => seenAt));
    for (const output of await lastOf('posts', keys, seq, sinceAt)) {
      if (output.stream === 'posts') posts.push(output);
    }
    return posts.sort(newestFirst).slice(offset - first, offset - first + limit);
  }

  /** When the list of events was last read to its end, if that was recent enough to tell which are active. */
  function listedBefore(seq: number, at: number): number | null {
    for (const { receivedAt, fact } of journal.readBack(seq)) {
      if (receivedAt < at - LISTED_FOR_MS) return null;
      if (fact.kind === 'listing' && fact.subject === 'posts') return receivedAt;
    }
    return null;
  }

  function tickBefore(seq: number): OutputOf<'freshness'> | undefined {
    for (const { seq: tickSeq, receivedAt, fact } of journal.readBack(seq)) {
      if (tickSeq <= seq - TICK_WITHIN) return undefined;
      if (fact.kind !== 'tick') continue;
      const { kind: _, ...ages } = fact;
      const record = { ...ages, stale: [], listedAt: { posts: null, crypto: null } };
      return { stream: 'freshness', key: 'all', seq: tickSeq, at: receivedAt, cause: 'clock', record };
    }
    return undefined;
  }

  return {
    fromAt() {
      const first = firstSeq();
      for (const { receivedAt } of first === 0 ? [] : journal.readBack(first)) return receivedAt;
      return null;
    },
    // Readers have not seen what is not published yet.
    seqAt: (at) => Math.min(journal.seqAt(at), now.seq),
    async of(account, seq, at, streams) {
      const events = streams.includes('events') ? await eventsAt(account, seq, at) : [];
      const active = events
        .map((event) => ({ ...event, record: inPhase(event.record, at) }))
        .filter(({ record }) => record.phase === 'active');
      const latest = createLatest(undefined, { speed: now.speed });
      const tick = tickBefore(seq);
      if (tick !== undefined) {
        // Only an answer without events has to say whether they are known.
        const posts = streams.includes('events') && active.length === 0 ? listedBefore(tick.seq, at) : null;
        latest.load([{ ...tick, record: { ...tick.record, listedAt: { posts, crypto: null } } }]);
      }
      for (const stream of streams) latest.load(await valuesOf(stream, account, active, { seq, at }));
      return latest;
    },

    posts: (account, seq, at, page) => postsAt(account, { seq, at }, page),

    minutes: (question) =>
      readMinutes({ journal, outputs }, { ...question, firstSeq: firstSeq(), lastSeq: now.seq }),
  };
}

/** Whether an output belongs to the account. A price names its event alone. */
function isAbout(account: AccountId, { stream, record }: Output, now: Latest): boolean {
  switch (stream) {
    case 'events':
      return record.subject.type === 'posts' && record.subject.account === account;
    case 'prices':
      return hasEvent(account, String(record.eventId), now);
    default:
      return 'account' in record && record.account === account;
  }
}

// The JSON of a price names its event once.
const EVENT = /"eventId":(\d+)/;

/** Whether a stored output may belong to the account: one that does names it, or as a price one of its events. */
function mayBeAbout(account: AccountId, now: Latest): (row: KeptOutput) => boolean {
  const name = JSON.stringify(account);
  return ({ stream, json }) => {
    if (stream !== 'prices') return json.includes(name);
    return hasEvent(account, EVENT.exec(json)?.[1] ?? '', now);
  };
}

function hasEvent(account: AccountId, key: string, now: Latest): boolean {
  const subject = now.get('events', key)?.record.subject;
  return subject?.type === 'posts' && subject.account === account;
}

/** The clock changes phases, but the tick may have come a little later. */
function inPhase(record: EventRecord, at: number): EventRecord {
  const { startAt, endAt, phase } = record;
  return { ...record, phase: phaseAt({ startAt, endAt, isClosed: phase === 'closed' }, at) };
}
