import { ofRecord, type RecordLate } from '../../views/as-of.ts';
import type { Topic } from '../channels.ts';

export interface TopicKey {
  readonly topic: Topic;
  readonly key: string;
}

/**
 * The records that readers were told of with inputs that had become late since the last tick, as in a second that takes many.
 * The streams never took these inputs for late, so that no output tells when they are heard of again.
 */
interface ToldLate {
  /** A frame tells all readers of the record, so that only what the last one says counts. */
  frame(topic: Topic, key: string, late: RecordLate): void;
  /** A snapshot tells one reader, and the others still hold what they were told before. */
  snapshot(topic: Topic, keys: readonly string[], late: RecordLate): void;
  /** Removes and returns those of which something else would be said now. */
  takeOutdated(lateNow: (topic: Topic) => RecordLate): readonly TopicKey[];
}

export function createToldLate(): ToldLate {
  /** Without keys and topics of which nothing is late. */
  const told = new Map<Topic, Map<string, string>>();

  function remember(topic: Topic, key: string, late: string): void {
    const keys = told.get(topic) ?? new Map<string, string>();
    told.set(topic, keys.set(key, late));
  }

  function forget(topic: Topic, key: string): void {
    const keys = told.get(topic);
    if (keys?.delete(key) === true && keys.size === 0) told.delete(topic);
  }

  return {
    frame(topic, key, late) {
      const text = textOf(late, key);
      if (text === '') forget(topic, key);
      else remember(topic, key, text);
    },
    snapshot(topic, keys, late) {
      for (const key of keys) {
        const text = textOf(late, key);
        if (text !== '') remember(topic, key, text);
      }
    },
    takeOutdated(lateNow) {
      const outdated = Array.from(told).flatMap(([topic, keys]) => {
        const now = lateNow(topic);
        const others = Array.from(keys).filter(([key, text]) => text !== textOf(now, key));
        return others.map(([key]) => ({ topic, key }));
      });
      for (const { topic, key } of outdated) forget(topic, key);
      return outdated;
    },
  };
}

function textOf(late: RecordLate, key: string): string {
  return ofRecord(late, key).join();
}
