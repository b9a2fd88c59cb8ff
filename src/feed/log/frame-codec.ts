import type { FeedCause } from '../../contract/feed.ts';
import type { FeedRow } from '../../store/store.ts';
import type { Topic } from '../channels.ts';
import type { Frame } from './frames.ts';
import { renderStored, type StoredRecord } from './stored-record.ts';

export interface StoredFrame extends Frame {
  readonly lines: StoredRecord;
}

/** A stored frame is a line with key and causes, then the lines of its record. JSON text contains no line feeds. */
export function encodeFrame({ topic, seq, at, causes, key, isGone, lines }: StoredFrame): FeedRow {
  const head = JSON.stringify([key, causes, isGone]);
  return { topic: topic.name, seq, at, text: [head, ...lines].join('\n') };
}

export function decodeFrame(topic: Topic, { seq, at, text }: FeedRow): Frame {
  const [head = '', ...lines] = text.split('\n');
  // Only `encodeFrame` writes such rows.
  const [key, causes, isGone] = JSON.parse(head) as [string, readonly FeedCause[], boolean];
  return { topic, seq, at, causes, key, isGone, data: renderStored(topic, lines) };
}
