import * as z from 'zod';
import type { StoredFrames } from '../../store/store.ts';
import { decodeJson, encodeJson } from './versioned-json.ts';

/** What `StoredFrames.append` takes: frames with their numbers, and the topics whose numbers they moved. */
export type FeedEntry = Parameters<StoredFrames['append']>[0];

const number = z.int().min(0);

const feedEntry = z.strictObject({
  epoch: z.string(),
  upTo: number,
  rows: z.array(z.strictObject({ topic: z.string(), seq: number, at: z.number(), text: z.string() })),
  topics: z.array(z.strictObject({ topic: z.string(), seq: number, keys: z.array(z.string()) })),
});

export function encodeFeedEntry({ epoch, upTo, rows, topics }: FeedEntry): Uint8Array {
  return encodeJson(JSON.stringify({ epoch, upTo, rows, topics }));
}

export function decodeFeedEntry(bytes: Uint8Array): FeedEntry {
  return decodeJson(feedEntry, bytes, 'a feed entry');
}
