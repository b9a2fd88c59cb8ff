import { type Frame, type Parcel, parcelOf, updateText } from './frames.ts';
import type { TopicState } from './log.ts';
import type { Reading, Subscription } from './reader.ts';
import type { View } from './views.ts';

/** Writes between two breaths of the process: to write to thousands at once would hold up everyone else. */
const SLICE = 250;

export interface FanOut {
  add(subscription: Subscription): void;
  remove(subscription: Subscription): void;
  /** Frames of one topic, in order, for all who are subscribed to it. */
  send(state: TopicState, frames: readonly Frame[]): void;
  /** To all who are subscribed to a topic that has no frames. */
  sendPassing(state: TopicState, text: string): void;
}

interface Job {
  readonly state: TopicState;
  frames: readonly Frame[];
  /** Instead of frames. */
  readonly passing: Parcel | undefined;
  readonly parcels: Map<string, Parcel>;
  /** Who is still to be written to, from `next` on; undefined before it began. */
  targets: readonly Subscription[] | undefined;
  next: number;
}

/** Writes what is told to everyone who wants it, in slices. Each frame is built once per view. */
export function createFanOut(epoch: string, reading: Reading): FanOut {
  const subscribed = new Map<TopicState, Set<Subscription>>();
  const jobs: Job[] = [];
  let isRunning = false;

  function parcelFor(job: Job, view: View): Parcel {
    let parcel = job.parcels.get(view.name);
    if (parcel === undefined) {
      const texts = job.frames.map((frame) => updateText(epoch, frame, frame.seq - 1, view));
      parcel = parcelOf(
        texts,
        job.frames.map(({ seq }) => seq),
      );
      job.parcels.set(view.name, parcel);
    }
    return parcel;
  }

  function writeTo(job: Job, subscription: Subscription): void {
    if (job.passing !== undefined) reading.sendPassing(subscription.reader, job.passing);
    else reading.sendNew(subscription, job.frames, (view) => parcelFor(job, view));
  }

  function run(): void {
    let left = SLICE;
    for (let job = jobs[0]; job !== undefined; job = jobs[0]) {
      job.targets ??= [...(subscribed.get(job.state) ?? [])];
      for (; job.next < job.targets.length; job.next++) {
        if (left-- === 0) {
          setImmediate(run);
          return;
        }
        const target = job.targets[job.next];
        if (target !== undefined) writeTo(job, target);
      }
      jobs.shift();
    }
    isRunning = false;
  }

  function enqueue(state: TopicState, frames: readonly Frame[], passing: Parcel | undefined): void {
    if ((subscribed.get(state)?.size ?? 0) === 0) return;
    // What is still waiting takes up what came since: however many readers there are, the line stays short.
    const waiting = jobs.findIndex((job) => job.state === state && job.targets === undefined);
    const job = jobs[waiting];
    if (job !== undefined && passing === undefined) job.frames = [...job.frames, ...frames];
    else {
      // A heartbeat keeps its place behind what it counts.
      if (job !== undefined) jobs.splice(waiting, 1);
      jobs.push({ state, frames, passing, parcels: new Map(), targets: undefined, next: 0 });
    }
    if (isRunning) return;
    isRunning = true;
    run();
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
