import { Subject } from 'rxjs';
import type { ChannelRequest, Cursor, DataChannel, DataFrame, FeedRecord, SnapshotFrame } from '../wire.ts';
import { type FrameOrder, orderOf } from './frame-order.ts';
import { applyFrame, snapshotOf } from './record-map.ts';

type SyncState =
  | { readonly at: 'unrequested' | 'requested' | 'current' }
  /** The server was at `seq`, and sends the frames up to it or a snapshot. */
  | { readonly at: 'catching_up'; readonly seq: number; readonly isResumed: boolean };

/** A channel of an account and the reader's position on it. All followers of the channel share it. */
export interface Topic<C extends DataChannel = DataChannel> {
  /** `counters/account_a` or `crypto`, as in heartbeats. */
  readonly name: string;
  /** The request on the wire, without a cursor. */
  readonly request: ChannelRequest;
  readonly frame$: Subject<DataFrame<C>>;
  readonly cursor: Cursor | undefined;
  /** Whether the reader has caught up, so that the next frame is new. */
  readonly isCurrent: boolean;
  /** Whether it started from a cursor of the caller, so that its records are incomplete. */
  readonly isPartial: boolean;
  hasRequest(request: ChannelRequest): boolean;
  /** The request to send now, with the cursor to resume from. */
  startRequest(): ChannelRequest;
  /** What was requested no longer counts, as the connection is lost or frames are. */
  reset(): void;
  /** The server confirmed the request when the channel was at `seq`. */
  onSubscribed(seq: number, isResumed: boolean): void;
  /** Emits the frame if it is new. */
  receive(frame: DataFrame<C>): FrameOrder;
  /** Whether a heartbeat that counts up to `seq` shows that frames are lost. */
  hasLostFrames(seq: number): boolean;
  /** All current records, for a later follower. */
  snapshot(): SnapshotFrame<C> | undefined;
}

export function topicName(channel: string, account: string | null): string {
  return account === null ? channel : `${channel}/${account}`;
}

/** After an absence of more than `replayWithinMs` the topic requests a snapshot instead of the missed frames. */
export function createTopic<C extends DataChannel>(
  name: string,
  request: ChannelRequest,
  resume: Cursor | undefined,
  replayWithinMs: number,
): Topic<C> {
  const frame$ = new Subject<DataFrame<C>>();
  let cursor = resume;
  let sync: SyncState = { at: 'unrequested' };
  let records = new Map<string, FeedRecord<C>>();
  let last: DataFrame<C> | undefined;
  let isPartial = resume !== undefined;
  /** By the wall clock, which goes on while the machine sleeps. */
  let receivedAt = Date.now();
  /** Position of the reader at the last heartbeat, if that heartbeat counted more frames. */
  let behindAt: number | undefined;

  function checkCaughtUp(): void {
    if (sync.at !== 'catching_up' || !sync.isResumed) return;
    if (cursor !== undefined && cursor.seq >= sync.seq) sync = { at: 'current' };
  }

  return {
    name,
    request,
    frame$,
    get cursor() {
      return cursor;
    },
    get isCurrent() {
      return sync.at === 'current';
    },
    get isPartial() {
      return isPartial;
    },
    hasRequest: (other) => JSON.stringify(other) === JSON.stringify(request),
    startRequest() {
      sync = { at: 'requested' };
      behindAt = undefined;
      const isLongAgo = request.channel !== 'tweets' && Date.now() - receivedAt > replayWithinMs;
      return cursor === undefined || isLongAgo ? request : { ...request, resume: cursor };
    },
    reset() {
      sync = { at: 'unrequested' };
    },
    onSubscribed(seq, isResumed) {
      sync = { at: 'catching_up', seq, isResumed };
      checkCaughtUp();
    },
    receive(frame) {
      receivedAt = Date.now();
      const order = orderOf(cursor, frame);
      if (frame.type === 'snapshot') {
        sync = { at: 'current' };
        isPartial &&= order === 'duplicate';
      }
      if (order === 'duplicate' || order === 'gap') return order;
      cursor = { epoch: frame.epoch, seq: frame.seq };
      checkCaughtUp();
      records = applyFrame(records, frame);
      last = frame;
      frame$.next(frame);
      return order;
    },
    hasLostFrames(seq) {
      const isBehind = sync.at === 'current' && cursor !== undefined && cursor.seq < seq;
      // Frames may still be on their way: they are lost if the reader made no progress since the last heartbeat.
      const isLost = isBehind && behindAt === cursor?.seq;
      behindAt = isBehind ? cursor?.seq : undefined;
      return isLost;
    },
    snapshot: () => last && snapshotOf(records, last),
  };
}
