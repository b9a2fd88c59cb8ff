import type { FeedCause } from '../../contract/feed.ts';
import type { FeedRow } from '../../store/store.ts';
import type { Topic } from '../channels.ts';
import type { Frame } from './frames.ts';
import { renderStored, type StoredRecord } from './stored-record.ts';

/** A frame with what is kept of it. */
export interface KeptFrame extends Frame {
  readonly lines: StoredRecord;
}

/** Frames as they are stored: a line about them, then those of the record. JSON has no line feeds. */
export function encodeFrame({ topic, seq, at, causes, key, isGone, lines }: KeptFrame): FeedRow {
  const about = JSON.stringify([key, causes, isGone]);
  return { topic: topic.name, seq, at, text: [about, ...lines].join('\n') };
}

export function decodeFrame(topic: Topic, { seq, at, text }: FeedRow): Frame {
  const [about = '', ...lines] = text.split('\n');
  // Written by `encodeFrame` and by nobody else.
  const [key, causes, isGone] = JSON.parse(about) as [string, readonly FeedCause[], boolean];
  return { topic, seq, at, causes, key, isGone, data: renderStored(topic, lines) };
}
