import type { FeedCause } from '../../contract/feed/names.ts';
import type { FeedRow } from '../../store/store.ts';
import type { Topic } from '../channels.ts';
import type { Frame } from './frames.ts';
import { renderStored, type StoredRecord } from './stored-record.ts';

export interface StoredFrame extends Frame {
  readonly record: StoredRecord;
}

/** A stored frame is a line with key and causes, then its record if there is one. JSON text contains no line feeds. */
export function encodeFrame({ topic, seq, at, causes, key, isGone, record }: StoredFrame): FeedRow {
  const head = JSON.stringify([key, causes, isGone]);
  return { topic: topic.storedAs, seq, at, text: record === null ? head : `${head}\n${record}` };
}

export function decodeFrame(topic: Topic, { seq, at, text }: FeedRow): StoredFrame {
  // An older program stored the record for FREE in a third line.
  const [head = '', record = null] = text.split('\n', 2);
  // Only `encodeFrame` writes such rows.
  const [key, causes, isGone] = JSON.parse(head) as [string, readonly FeedCause[], boolean];
  return { topic, seq, at, causes, key, isGone, record, data: renderStored(topic, record) };
}
