import type { Audience } from '../../views/audience.ts';
import type { FrameLog, TopicState } from '../log/frame-log.ts';
import { type Frame, type Parcel, parcelOf, snapshotText, updatesParcel, updateText } from '../log/frames.ts';
import type { Records } from '../log/topic-records.ts';

/** Past so many unsent bytes a reader is slow, and nothing more is written to him until they are gone. */
const SLOW_FROM_BYTES = 64 * 1_024;
/** So far behind a lossless channel a reader is let go. */
export const TOO_SLOW_BYTES = 1_024 * 1_024;
/** What a reader who is behind is sent in one step, and how many take a step before everyone else has a turn. */
const ROWS_PER_STEP = 64;
const CHARS_PER_STEP = 32 * 1_024;
const STEPS_PER_TURN = 8;
/** Of topics and views; a bankroll of one's own is a view. */
const MAX_SNAPSHOTS = 100;

/** The way to a reader. */
export interface Pipe {
  /** Written, but not yet taken by the network. */
  unsentBytes(): number;
  write(parcel: Parcel, subscription: Subscription | undefined): void;
  /** Gathers what is written until `release`, to be sent as one. */
  hold(): void;
  release(): void;
  /** Calls back once all that is unsent now was taken by the network; not at once. */
  onceSent(listener: () => void): void;
  /** Lets him go because he is too slow. */
  dropSlow(): void;
}

/** A reader's place in a topic. All that is held of a slow one: what he is to be sent is found again by it. */
export interface Subscription {
  readonly reader: Reader;
  readonly state: TopicState;
  readonly view: Audience;
  /** Of the last frame written to him. */
  sentSeq: number;
  /** Whether he is to be sent everything as it is, before all else. */
  wantsSnapshot: boolean;
  /** Whether he is being told all he missed, one by one, before he is up to date again. */
  isReplaying: boolean;
  /** `bytes` of the topic when he was last up to date. */
  upToDateBytes: number;
}

export interface Reader {
  readonly pipe: Pipe;
  /** By name of topic. */
  readonly subscriptions: Map<string, Subscription>;
  isSlow: boolean;
  isClosed: boolean;
  /** Whether his next step comes by itself. */
  isInLine: boolean;
}

export function createReader(pipe: Pipe): Reader {
  return { pipe, subscriptions: new Map(), isSlow: false, isClosed: false, isInLine: false };
}

export interface ReadingDeps {
  readonly log: FrameLog;
  readonly records: Records;
  /** Told how many frames were left out. */
  readonly merged: (count: number) => void;
  /** Told how many frames were written. */
  readonly sent: (count: number) => void;
}

export interface Reading {
  /** New frames of his topic, as they go to all who are up to date and see the same. */
  sendNew(subscription: Subscription, frames: readonly Frame[], parcel: (view: Audience) => Parcel): void;
  /** What passes and is worth nothing later. */
  sendPassing(reader: Reader, parcel: Parcel): void;
  /** Notes whether he is slow, until all was sent. To be called after he was sent something new. */
  judge(reader: Reader): void;
  /** Goes on with what he is behind of. To be called when he wants more than before. */
  catchUp(reader: Reader): void;
}

/** Brings readers up to date, each as fast as he reads. */
export function createReading({ log, records, merged, sent }: ReadingDeps): Reading {
  const snapshots = new Map<string, { readonly of: string; readonly parcel: Parcel }>();
  /** Readers who are behind, each once. */
  const line: Reader[] = [];
  let isServing = false;

  function write(subscription: Subscription, parcel: Parcel): void {
    const { reader } = subscription;
    reader.pipe.write(parcel, subscription);
    sent(parcel.texts.length);
  }

  function judge(reader: Reader): void {
    if (reader.isSlow || reader.pipe.unsentBytes() <= SLOW_FROM_BYTES) return;
    reader.isSlow = true;
    reader.pipe.onceSent(() => {
      reader.isSlow = false;
      catchUp(reader);
    });
  }

  function isBehind({ state, sentSeq, wantsSnapshot }: Subscription): boolean {
    return !wantsSnapshot && sentSeq < state.toldSeq;
  }

  function sendSnapshot(subscription: Subscription): void {
    const { state, view } = subscription;
    const { topic, toldSeq } = state;
    const name = `${topic.name} ${view.name}`;
    // Whoever comes in a crowd after a restart shares what was written for the first.
    const of = `${toldSeq} ${records.moment()}`;
    let made = snapshots.get(name);
    if (made?.of !== of) {
      const text = snapshotText(
        log.epoch,
        topic,
        toldSeq,
        records.at(),
        records.all(topic, view, log.toldUpTo),
      );
      made = { of, parcel: parcelOf([text], [toldSeq]) };
      if (snapshots.size >= MAX_SNAPSHOTS) snapshots.clear();
      snapshots.set(name, made);
    }
    subscription.wantsSnapshot = false;
    subscription.sentSeq = toldSeq;
    subscription.upToDateBytes = state.bytes;
    write(subscription, made.parcel);
    judge(subscription.reader);
  }

  /** The frames to go on with: every one, or of each key the newest. */
  function nextFrames({ state, sentSeq, isReplaying }: Subscription): readonly Frame[] {
    const { channel } = state.topic;
    if (isReplaying || channel.isLossless) {
      return log.read(state, sentSeq, ROWS_PER_STEP);
    }
    return Array.from(state.newest.values())
      .filter(({ seq }) => seq > sentSeq)
      .sort((a, b) => a.seq - b.seq);
  }

  /** Writes what comes next; returns whether there is more to write at once. */
  function advance(subscription: Subscription): boolean {
    const { reader, state, view } = subscription;
    const texts: string[] = [];
    const seqs: number[] = [];
    let { sentSeq } = subscription;
    let length = 0;
    for (const frame of nextFrames(subscription)) {
      if (length >= CHARS_PER_STEP) break;
      if (frame.seq > sentSeq + 1) merged(frame.seq - sentSeq - 1);
      const text = updateText(log.epoch, frame, sentSeq, view);
      texts.push(text);
      seqs.push(frame.seq);
      length += text.length;
      sentSeq = frame.seq;
    }
    // Right after a start the newest of each key is on its way to the disk, and comes by itself.
    if (texts.length === 0) return false;
    write(subscription, parcelOf(texts, seqs));
    subscription.sentSeq = sentSeq;
    judge(reader);
    if (isBehind(subscription)) return true;
    subscription.isReplaying = false;
    subscription.upToDateBytes = state.bytes;
    return false;
  }

  /** For one who came while they were on their way to the others, and knows some of them from his snapshot. */
  function restOf(frames: readonly Frame[], { sentSeq, view }: Subscription): Parcel {
    const rest = frames.filter(({ seq }) => seq > sentSeq);
    return updatesParcel(log.epoch, rest, view);
  }

  /** Snapshots, which are made once for all, at once; the rest when it is his turn. */
  function catchUp(reader: Reader): void {
    for (const subscription of reader.subscriptions.values()) {
      if (reader.isSlow || reader.isClosed) return;
      if (subscription.wantsSnapshot) sendSnapshot(subscription);
    }
    if (!reader.isSlow && Array.from(reader.subscriptions.values()).some(isBehind)) waitInLine(reader);
  }

  function waitInLine(reader: Reader): void {
    if (reader.isInLine) return;
    reader.isInLine = true;
    line.push(reader);
    if (isServing) return;
    isServing = true;
    setImmediate(serveLine);
  }

  /** A long way back is gone in steps, by a few readers at a time: a crowd that comes back holds up nobody else. */
  function serveLine(): void {
    for (const reader of line.splice(0, STEPS_PER_TURN)) {
      reader.isInLine = false;
      step(reader);
    }
    isServing = line.length > 0;
    if (isServing) setImmediate(serveLine);
  }

  function step(reader: Reader): void {
    for (const subscription of reader.subscriptions.values()) {
      if (reader.isSlow || reader.isClosed) return;
      if (isBehind(subscription) && advance(subscription)) {
        waitInLine(reader);
        return;
      }
    }
  }

  return {
    sendNew(subscription, frames, parcel) {
      const { reader, state, view, sentSeq, wantsSnapshot } = subscription;
      const [first] = frames;
      const last = frames.at(-1);
      if (reader.isClosed || wantsSnapshot) return;
      if (first === undefined || last === undefined || sentSeq >= last.seq) return;
      if (!reader.isSlow && sentSeq >= first.seq - 1) {
        write(subscription, sentSeq < first.seq ? parcel(view) : restOf(frames, subscription));
        subscription.sentSeq = last.seq;
        subscription.upToDateBytes = state.bytes;
        return;
      }
      const { isLossless } = state.topic.channel;
      if (isLossless && state.bytes - subscription.upToDateBytes > TOO_SLOW_BYTES) reader.pipe.dropSlow();
      else if (!reader.isSlow) catchUp(reader);
    },

    sendPassing(reader, parcel) {
      if (reader.isClosed || reader.isSlow) return;
      reader.pipe.write(parcel, undefined);
      sent(1);
    },

    judge,
    catchUp,
  };
}
