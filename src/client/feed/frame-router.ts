import type { DataFrame, HeartbeatFrame, ServerFrame } from '../wire.ts';
import type { FeedEvent } from './feed-event.ts';
import type { Subscriptions } from './subscriptions.ts';
import { type Topic, topicName } from './topic.ts';

/** Passes frames to their topics, and requests lost frames again. */
interface FrameRouter {
  onSubscribed(frame: Extract<ServerFrame, { readonly type: 'subscribed' }>): void;
  onData(frame: DataFrame): void;
  onHeartbeat(frame: HeartbeatFrame): void;
}

export function createFrameRouter(
  subscriptions: Subscriptions,
  emit: (event: FeedEvent) => void,
): FrameRouter {
  function repair(topic: Topic, beforeSeq: number): void {
    emit({ type: 'gap', topic: topic.name, afterSeq: topic.cursor?.seq, beforeSeq });
    topic.reset();
    subscriptions.request([topic]);
  }

  return {
    onSubscribed({ channels }) {
      for (const { channel, account, seq, resumed } of channels) {
        subscriptions.get(topicName(channel, account))?.onSubscribed(seq ?? 0, resumed);
      }
    },
    onData(frame) {
      const topic = subscriptions.get(topicName(frame.channel, frame.account));
      if (topic === undefined) return;
      const { name, cursor, isCurrent } = topic;
      if (cursor !== undefined && cursor.epoch !== frame.epoch && frame.type === 'snapshot') {
        emit({ type: 'epoch', topic: name, from: cursor.epoch, to: frame.epoch });
      }
      // A frame that does not fit while the topic catches up answers an earlier request.
      if (topic.receive(frame) === 'gap' && isCurrent) repair(topic, frame.seq);
    },
    onHeartbeat({ epoch, seqs }) {
      for (const [name, seq] of Object.entries(seqs)) {
        const topic = subscriptions.get(name);
        if (topic?.cursor?.epoch === epoch && topic.hasLostFrames(seq)) repair(topic, seq + 1);
      }
    },
  };
}
