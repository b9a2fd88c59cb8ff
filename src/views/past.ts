import {
  type AccountId,
  DAY_MS,
  type EventRecord,
  type Output,
  phaseAt,
  type StreamName,
} from '../../streams/internal.ts';
import { PRUNED_BEFORE_NOTE, type Store } from '../store/store.ts';
import { LISTED_FOR_MS } from './active-events.ts';
import { createLatest, type Latest, type OutputOf } from './latest.ts';
import { createOutputLookup } from './output-lookup.ts';

/** The market may have moved an event's window since then, by at most this. */
const WINDOW_SLACK_MS = 2 * DAY_MS;
/** An event has no outputs earlier than this before its window opens. */
const LISTED_BEFORE_MS = 14 * DAY_MS;
/** Ticks come each second, so one is among this many observations unless the engine was overloaded. */
const TICK_WITHIN = 2_000;

/** The values that readers saw at an earlier instant, from what was stored by then. */
export interface Past {
  /** When the oldest stored observation was received; null while there is none. */
  fromAt(): number | null;
  /** Seq of the last observation received at or before `at`. */
  seqAt(at: number): number;
  /**
   * The latest values after observation `seq` that an account's counters and predictions need, with the phases of its
   * events at `at`.
   */
  of(account: AccountId, seq: number, at: number): Promise<Latest>;
}

export function openPast(
  { journal, outputs, notes }: Pick<Store, 'journal' | 'outputs' | 'notes'>,
  now: Latest,
): Past {
  const lookup = createOutputLookup(outputs);

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
    const floorSeq = Math.max(firstSeq(), journal.seqAt(sinceAt));
    return [...still, ...(await lookup.find(stream, changed, { seq, floorSeq }))];
  }

  /** The events that may have been active. Each had an output when its window opened. */
  async function eventsAt(account: AccountId, seq: number, at: number) {
    const near = Array.from(now.all('events')).filter(
      ({ record: { subject, startAt, endAt } }) =>
        subject.type === 'posts' &&
        subject.account === account &&
        startAt !== null &&
        startAt <= at + WINDOW_SLACK_MS &&
        endAt > at - WINDOW_SLACK_MS,
    );
    const keys = near.map(({ key }) => key);
    const sinceAt = Math.min(at, ...near.map(({ record }) => record.startAt ?? at)) - WINDOW_SLACK_MS;
    const found = await lastOf('events', keys, seq, sinceAt);
    return found.flatMap((output) =>
      output.stream === 'events' ? [{ ...output, record: inPhase(output.record, at) }] : [],
    );
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
      const record = { ages: fact.ages, stale: [], listedAt: { posts: null, crypto: null } };
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
    async of(account, seq, at) {
      const events = await eventsAt(account, seq, at);
      const active = events.filter(({ record }) => record.phase === 'active');
      const keys = active.map(({ key }) => key);
      const tokens = active.flatMap(({ record }) => record.buckets.map(({ yesToken }) => yesToken));
      const sinceAt = Math.min(at, ...active.map(({ record }) => record.startAt ?? at)) - LISTED_BEFORE_MS;
      const tick = tickBefore(seq);
      const posts = tick && active.length === 0 ? listedBefore(tick.seq, at) : null;
      const latest = createLatest();
      latest.load([
        ...active,
        ...(await lastOf('counters', keys, seq, sinceAt)),
        ...(await lastOf('predictions', keys, seq, sinceAt)),
        ...(await lastOf('prices', tokens, seq, sinceAt)),
        ...(await lastOf('velocity', [account], seq, 0)),
        ...(tick ? [{ ...tick, record: { ...tick.record, listedAt: { posts, crypto: null } } }] : []),
      ]);
      return latest;
    },
  };
}

/** The clock changes phases, but the tick may have come a little later. */
function inPhase(record: EventRecord, at: number): EventRecord {
  const { startAt, endAt, phase } = record;
  return { ...record, phase: phaseAt({ startAt, endAt, isClosed: phase === 'closed' }, at) };
}
