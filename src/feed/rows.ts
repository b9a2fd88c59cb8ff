import type { FeedCause } from '../contract/feed.ts';
import type { FeedRow } from '../store/store.ts';
import type { Topic } from './channels.ts';
import type { Frame } from './frames.ts';
import { type View, viewOf } from './views.ts';

/**
 * Frames as they are stored: a line about them, then a line for each view, PRO first. JSON has no line feeds, and
 * two views in one row compress to little more than one.
 */
export function encodeFrame(frame: Frame): FeedRow {
  const { topic, seq, at, causes, key, isGone } = frame;
  const lines = [JSON.stringify([key, causes, isGone]), ...viewsOf(topic).map((view) => frame.data(view))];
  return { topic: topic.name, seq, at, text: lines.join('\n') };
}

export function decodeFrame(topic: Topic, { seq, at, text }: FeedRow): Frame {
  const [about = '', paid = '', free = paid] = text.split('\n');
  // Written by `encodeFrame` and by nobody else.
  const [key, causes, isGone] = JSON.parse(about) as [string, readonly FeedCause[], boolean];
  return { topic, seq, at, causes, key, isGone, data: ({ name }) => (name === 'FREE' ? free : paid) };
}

/** The views of a topic that keeps every frame. */
export function viewsOf(topic: Topic): readonly View[] {
  const paid = viewOf(topic, 'PRO');
  const free = viewOf(topic, 'FREE');
  return paid.name === free.name ? [paid] : [paid, free];
}
