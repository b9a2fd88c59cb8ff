import { Subject } from 'rxjs';
import type { ChannelRequest, Cursor, DataChannel, DataFrame, FeedRecord, SnapshotFrame } from '../wire.ts';
import { judge, type Verdict } from './frame-order.ts';
import { hold, snapshotOf } from './record-map.ts';

/** How a topic stands with the server. */
type Standing =
  | { readonly at: 'unasked' | 'asked' | 'current' }
  /** The server was at `seq` and goes on from the reader's place, or from a snapshot. */
  | { readonly at: 'catching_up'; readonly seq: number; readonly isResumed: boolean };

/** A channel of an account, and how far the reader is with it. Shared by all who follow it. */
export interface Topic<C extends DataChannel = DataChannel> {
  /** `counters/account_a` or `crypto`, as heartbeats call it. */
  readonly name: string;
  /** What it is on the wire, without a place. */
  readonly request: ChannelRequest;
  readonly frame$: Subject<DataFrame<C>>;
  readonly cursor: Cursor | undefined;
  /** Nothing is awaited: whatever comes now is news. */
  readonly isCurrent: boolean;
  /** Whether it went on from a place given from outside, and so does not know all there is. */
  readonly isPartial: boolean;
  /** Whether it wants the same of the server. */
  suits(request: ChannelRequest): boolean;
  /** What to ask the server for, from the reader's place on. */
  ask(): ChannelRequest;
  /** The connection is gone. */
  forget(): void;
  /** The server began with it at `seq`. */
  begin(seq: number, isResumed: boolean): void;
  /** Takes in a frame, and passes it on if it is news. */
  take(frame: DataFrame<C>): Verdict;
  /** Whether a heartbeat that counts up to `seq` shows that something is lost. */
  misses(seq: number): boolean;
  /** Everything there is, for one who comes later. */
  snapshot(): SnapshotFrame<C> | undefined;
}

export function nameOf(channel: string, account: string | null): string {
  return account === null ? channel : `${channel}/${account}`;
}

/** `replayWithinMs` is the longest absence after which every frame missed is asked for, and not how things are now. */
export function createTopic<C extends DataChannel>(
  name: string,
  request: ChannelRequest,
  resume: Cursor | undefined,
  replayWithinMs: number,
): Topic<C> {
  const frame$ = new Subject<DataFrame<C>>();
  let cursor = resume;
  let standing: Standing = { at: 'unasked' };
  let held = new Map<string, FeedRecord<C>>();
  let last: DataFrame<C> | undefined;
  let isPartial = resume !== undefined;
  /** Of the wall clock, which goes on while the machine sleeps. */
  let heardAt = Date.now();
  /** Where the reader was at the heartbeat before, when it counted more. */
  let behindAt: number | undefined;

  function settle(): void {
    if (standing.at !== 'catching_up' || !standing.isResumed) return;
    if (cursor !== undefined && cursor.seq >= standing.seq) standing = { at: 'current' };
  }

  return {
    name,
    request,
    frame$,
    get cursor() {
      return cursor;
    },
    get isCurrent() {
      return standing.at === 'current';
    },
    get isPartial() {
      return isPartial;
    },
    suits: (other) => JSON.stringify(other) === JSON.stringify(request),
    ask() {
      standing = { at: 'asked' };
      behindAt = undefined;
      const isLongAgo = request.channel !== 'tweets' && Date.now() - heardAt > replayWithinMs;
      return cursor === undefined || isLongAgo ? request : { ...request, resume: cursor };
    },
    forget() {
      standing = { at: 'unasked' };
    },
    begin(seq, isResumed) {
      standing = { at: 'catching_up', seq, isResumed };
      settle();
    },
    take(frame) {
      heardAt = Date.now();
      const verdict = judge(cursor, frame);
      if (frame.type === 'snapshot') {
        standing = { at: 'current' };
        isPartial &&= verdict === 'known';
      }
      if (verdict === 'known' || verdict === 'gap') return verdict;
      cursor = { epoch: frame.epoch, seq: frame.seq };
      settle();
      held = hold(held, frame);
      last = frame;
      frame$.next(frame);
      return verdict;
    },
    misses(seq) {
      const isBehind = standing.at === 'current' && cursor !== undefined && cursor.seq < seq;
      // Frames may be on their way in pieces: lost is what does not move from one heartbeat to the next.
      const isLost = isBehind && behindAt === cursor?.seq;
      behindAt = isBehind ? cursor?.seq : undefined;
      return isLost;
    },
    snapshot: () => last && snapshotOf(held, last),
  };
}
