import { Subject } from 'rxjs';
import type { FeedRow, FeedTopic, StoredFrames } from '../../store/store.ts';
import type { OutputOf } from '../../views/latest.ts';
import type { Topic } from '../channels.ts';
import { decodeFrame } from './frame-codec.ts';
import type { Published, PublishedFrames } from './frame-log.ts';
import { createFrameReads } from './frame-reads.ts';
import type { Frame } from './frames.ts';
import { createNumbering, type TopicState } from './numbering.ts';

/** Frames that another process has numbered. */
export interface FollowedFrames extends PublishedFrames {
  /** Publishes rows that are stored, and with the tick of their turn, if it has one, what a second needs. */
  publish(batch: FollowedBatch): void;
  /** Drops keys that were gone before `beforeAt`: no reader is that far behind. */
  forgetGone(beforeAt: number): void;
  stop(): void;
}

interface FollowedBatch {
  readonly rows: readonly FeedRow[];
  readonly tick?: OutputOf<'freshness'> | undefined;
  /** Whether rows and tick are those of a topic: several logs may have topics of the same name. */
  readonly covers: (topic: Topic) => boolean;
}

interface FollowedFramesDeps {
  readonly epoch: string;
  readonly topics: readonly Topic[];
  readonly window: Pick<StoredFrames, 'oldest' | 'read'>;
  /** Where the stored frames end. */
  readonly stored: readonly FeedTopic[];
  /** The seq of its log up to which all frames of a topic are stored. */
  readonly storedUpTo: (topic: Topic) => number;
}

export function createFollowedFrames(deps: FollowedFramesDeps): FollowedFrames {
  const { epoch, topics, window } = deps;
  const numbering = createNumbering(topics, deps.stored);
  const byStoredName = new Map(topics.map((topic) => [topic.storedAs, topic]));
  const reads = createFrameReads(window);
  const published = new Subject<Published>();

  return {
    epoch,
    frame$: published.asObservable(),
    publishedUpTo: deps.storedUpTo,
    state: numbering.state,
    states: numbering.states,
    oldestCursor: reads.oldestCursor,
    read: reads.read,
    frame: reads.frame,
    publish({ rows, tick, covers }) {
      const byState = new Map<TopicState, Frame[]>();
      for (const row of rows) {
        const topic = byStoredName.get(row.topic);
        if (topic === undefined || !covers(topic)) continue;
        const frame = decodeFrame(topic, row);
        const state = numbering.markPublished(frame);
        const group = byState.get(state) ?? [];
        byState.set(state, group);
        group.push(frame);
      }
      for (const [state, frames] of byState) published.next({ type: 'frames', state, frames });
      if (tick === undefined) return;
      published.next({ type: 'second', tick, covers });
      reads.clear();
    },
    forgetGone: numbering.forgetGone,
    stop: () => published.complete(),
  };
}
