import type { DataFrame, HeartbeatFrame, ServerFrame } from '../wire.ts';
import type { FeedEvent } from './status.ts';
import type { Wishes } from './subscriptions.ts';
import { nameOf, type Topic } from './topic.ts';

/** Hands frames to their topics, and asks again for what turns out to be missing. */
export interface Reception {
  begun(frame: Extract<ServerFrame, { readonly type: 'subscribed' }>): void;
  data(frame: DataFrame): void;
  /** How far every topic is by a heartbeat. */
  counted(frame: HeartbeatFrame): void;
}

export function createReception(wishes: Wishes, tell: (event: FeedEvent) => void): Reception {
  function mend(topic: Topic, beforeSeq: number): void {
    tell({ type: 'gap', topic: topic.name, afterSeq: topic.cursor?.seq, beforeSeq });
    topic.forget();
    wishes.ask([topic]);
  }

  return {
    begun({ channels }) {
      for (const { channel, account, seq, resumed } of channels) {
        wishes.get(nameOf(channel, account))?.begin(seq ?? 0, resumed);
      }
    },
    data(frame) {
      const topic = wishes.get(nameOf(frame.channel, frame.account));
      if (topic === undefined) return;
      const { name, cursor, isCurrent } = topic;
      if (cursor !== undefined && cursor.epoch !== frame.epoch && frame.type === 'snapshot') {
        tell({ type: 'epoch', topic: name, from: cursor.epoch, to: frame.epoch });
      }
      // While something is awaited, what does not fit is of before.
      if (topic.take(frame) === 'gap' && isCurrent) mend(topic, frame.seq);
    },
    counted({ epoch, seqs }) {
      for (const [name, seq] of Object.entries(seqs)) {
        const topic = wishes.get(name);
        if (topic?.cursor?.epoch === epoch && topic.misses(seq)) mend(topic, seq + 1);
      }
    },
  };
}
