import { type Frame, type Parcel, parcelOf, updateText } from './frames.ts';
import type { TopicState } from './log.ts';
import type { Reader, Reading } from './reader.ts';
import type { View } from './views.ts';

/** Readers between two breaths of the process: to write to thousands at once would hold up everyone else. */
const SLICE = 250;

export interface FanOut {
  add(state: TopicState, reader: Reader): void;
  remove(state: TopicState, reader: Reader): void;
  /** Frames of one topic, in order, for all who are subscribed to it. */
  send(state: TopicState, frames: readonly Frame[]): void;
  /** To all who are subscribed to a topic that has no frames. */
  sendPassing(state: TopicState, text: string): void;
}

/** What is new of one topic. */
interface News {
  readonly state: TopicState;
  frames: readonly Frame[];
  /** Instead of frames. */
  readonly passing: Parcel | undefined;
  readonly parcel: (view: View) => Parcel;
}

/**
 * Writes what is told to everyone who wants it, in slices: each frame is built once per view, and a reader is
 * written to once for all that is new to him, since it is the write that costs.
 */
export function createFanOut(epoch: string, reading: Reading): FanOut {
  const readersOf = new Map<TopicState, Set<Reader>>();
  /** What came since the writing of what was before began. */
  let waiting: News[] = [];
  let isRunning = false;

  function newsOf(state: TopicState, frames: readonly Frame[], passing: Parcel | undefined): News {
    const parcels = new Map<string, Parcel>();
    const news: News = {
      state,
      frames,
      passing,
      parcel(view) {
        let parcel = parcels.get(view.name);
        if (parcel === undefined) {
          const texts = news.frames.map((frame) => updateText(epoch, frame, frame.seq - 1, view));
          const seqs = news.frames.map(({ seq }) => seq);
          parcel = parcelOf(texts, seqs);
          parcels.set(view.name, parcel);
        }
        return parcel;
      },
    };
    return news;
  }

  function readersOfAll(all: readonly News[]): readonly Reader[] {
    const readers = new Set<Reader>();
    for (const { state } of all) for (const reader of readersOf.get(state) ?? []) readers.add(reader);
    return [...readers];
  }

  function tell(reader: Reader, all: readonly News[]): void {
    if (all.length > 1) reader.pipe.hold();
    for (const { state, frames, passing, parcel } of all) {
      const subscription = reader.subscriptions.get(state.topic.name);
      if (subscription === undefined) continue;
      if (passing === undefined) reading.sendNew(subscription, frames, parcel);
      else reading.sendPassing(reader, passing);
    }
    if (all.length > 1) reader.pipe.release();
    reading.judge(reader);
  }

  function run(): void {
    const all = waiting;
    waiting = [];
    isRunning = all.length > 0;
    if (isRunning) tellFrom(0, readersOfAll(all), all);
  }

  function tellFrom(start: number, readers: readonly Reader[], all: readonly News[]): void {
    for (const reader of readers.slice(start, start + SLICE)) tell(reader, all);
    if (start + SLICE < readers.length) setImmediate(tellFrom, start + SLICE, readers, all);
    else run();
  }

  function enqueue(state: TopicState, frames: readonly Frame[], passing: Parcel | undefined): void {
    if ((readersOf.get(state)?.size ?? 0) === 0) return;
    // What is still waiting takes up what came since: however many readers there are, the line stays short.
    const place = waiting.findIndex((news) => news.state === state);
    const news = waiting[place];
    if (news !== undefined && passing === undefined) news.frames = [...news.frames, ...frames];
    else {
      // A heartbeat keeps its place behind what it counts.
      if (news !== undefined) waiting.splice(place, 1);
      waiting.push(newsOf(state, frames, passing));
    }
    if (isRunning) return;
    isRunning = true;
    // All that is told of one commit goes together.
    queueMicrotask(run);
  }

  return {
    add(state, reader) {
      const readers = readersOf.get(state) ?? new Set();
      readersOf.set(state, readers.add(reader));
    },
    remove: (state, reader) => void readersOf.get(state)?.delete(reader),
    send: (state, frames) => enqueue(state, frames, undefined),
    sendPassing: (state, text) => enqueue(state, [], parcelOf([text])),
  };
}
