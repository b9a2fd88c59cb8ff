import type { Audience } from '../../views/audience.ts';
import type { TopicState } from '../log/frame-log.ts';
import { type Frame, type Parcel, parcelOf, updatesParcel } from '../log/frames.ts';
import type { Reader, Reading, Subscription } from './delivery.ts';

/** Readers between two breaths of the process: to write to thousands at once would hold up everyone else. */
const SLICE = 250;

export interface FanOut {
  add(subscription: Subscription): void;
  remove(subscription: Subscription): void;
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
  readonly parcel: (view: Audience) => Parcel;
}

/**
 * Writes what is told to everyone who wants it, in slices: each frame is built once per view, and a reader is
 * written to once for all that is new to him, since it is the write that costs.
 */
export function createFanOut(epoch: string, reading: Reading): FanOut {
  const subscribed = new Map<TopicState, Set<Subscription>>();
  /** What came since the writing of what was before began. */
  let waiting: News[] = [];
  let isRunning = false;

  function newsOf(state: TopicState, frames: readonly Frame[], passing: Parcel | undefined): News {
    const parcels = new Map<string, Parcel>();
    let last: { readonly view: Audience; readonly parcel: Parcel } | undefined;
    const news: News = {
      state,
      frames,
      passing,
      parcel(view) {
        // Most readers share a view with the one before them.
        if (last?.view === view) return last.parcel;
        let parcel = parcels.get(view.name);
        if (parcel === undefined) {
          parcel = updatesParcel(epoch, news.frames, view);
          parcels.set(view.name, parcel);
        }
        last = { view, parcel };
        return parcel;
      },
    };
    return news;
  }

  function readersOfAll(all: readonly News[]): readonly Reader[] {
    const readers = new Set<Reader>();
    for (const { state } of all) for (const { reader } of subscribed.get(state) ?? []) readers.add(reader);
    return [...readers];
  }

  function write(subscription: Subscription, { frames, passing, parcel }: News): void {
    if (passing === undefined) reading.sendNew(subscription, frames, parcel);
    else reading.sendPassing(subscription.reader, passing);
  }

  /** Everything that is new to a reader. */
  function tellAll(reader: Reader, all: readonly News[]): void {
    reader.pipe.hold();
    for (const news of all) {
      const subscription = reader.subscriptions.get(news.state.topic.name);
      if (subscription !== undefined) write(subscription, news);
    }
    reader.pipe.release();
    reading.judge(reader);
  }

  function tellOne(subscription: Subscription, news: News): void {
    write(subscription, news);
    reading.judge(subscription.reader);
  }

  function run(): void {
    const all = waiting;
    const [first] = all;
    waiting = [];
    isRunning = first !== undefined;
    if (first === undefined) return;
    if (all.length > 1) inSlices(0, readersOfAll(all), (reader) => tellAll(reader, all));
    else
      inSlices(0, [...(subscribed.get(first.state) ?? [])], (subscription) => tellOne(subscription, first));
  }

  function inSlices<T>(start: number, targets: readonly T[], tell: (target: T) => void): void {
    for (const target of targets.slice(start, start + SLICE)) tell(target);
    if (start + SLICE < targets.length) setImmediate(() => inSlices(start + SLICE, targets, tell));
    else run();
  }

  function enqueue(state: TopicState, frames: readonly Frame[], passing: Parcel | undefined): void {
    if ((subscribed.get(state)?.size ?? 0) === 0) return;
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
    add(subscription) {
      const all = subscribed.get(subscription.state) ?? new Set();
      subscribed.set(subscription.state, all.add(subscription));
    },
    remove: (subscription) => void subscribed.get(subscription.state)?.delete(subscription),
    send: (state, frames) => enqueue(state, frames, undefined),
    sendPassing: (state, text) => enqueue(state, [], parcelOf([text])),
  };
}
