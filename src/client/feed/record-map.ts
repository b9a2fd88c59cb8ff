import { map, type OperatorFunction, scan } from 'rxjs';
import type { DataChannel, DataFrame, FeedRecord, SnapshotFrame } from '../wire.ts';

/** Number of posts in a snapshot of the server. */
const POSTS_IN_SNAPSHOT = 15;

/** The current records of a channel by key. */
export type RecordMap<C extends DataChannel> = ReadonlyMap<string, FeedRecord<C>>;

/** Turns frames into the current records of their channel, by key. Of posts only the newest are kept. */
export function byKey<C extends DataChannel>(): OperatorFunction<DataFrame<C>, RecordMap<C>> {
  return (frame$) =>
    frame$.pipe(
      scan((records: Map<string, FeedRecord<C>>, frame) => applyFrame(records, frame), new Map()),
      map((records): RecordMap<C> => new Map(records)),
    );
}

/** The id of the event, post or account that a record describes; equal to `key` of its updates. */
export function keyOf(record: object): string {
  for (const name of ['event_id', 'tweet_id', 'account']) {
    const value: unknown = Reflect.get(record, name);
    if (value !== undefined) return String(value);
  }
  return 'test';
}

/** The records after one more frame. May change the map that it is given. */
export function applyFrame<C extends DataChannel>(
  records: Map<string, FeedRecord<C>>,
  frame: DataFrame<C>,
): Map<string, FeedRecord<C>> {
  if (frame.type === 'snapshot') return keyed(frame.data);
  if (frame.data === null) records.delete(frame.key);
  else records.set(frame.key, frame.data);
  const isLong = frame.channel === 'tweets' && records.size > 4 * POSTS_IN_SNAPSHOT;
  return isLong ? keyed(newestPosts(records)) : records;
}

/** The snapshot that the server would send to a new reader after the frame `last`. */
export function snapshotOf<C extends DataChannel>(
  records: RecordMap<C>,
  last: DataFrame<C>,
): SnapshotFrame<C> {
  const { channel, account, epoch, seq, ts } = last;
  const data = channel === 'tweets' ? newestPosts(records) : [...records.values()];
  const frame = {
    type: 'snapshot',
    channel,
    account,
    epoch,
    seq,
    prev_seq: null,
    ts,
    cause: [],
    data,
  } as const;
  const isUnknown = last.type === 'snapshot' && last.events_known === false;
  return isUnknown ? { ...frame, events_known: false } : frame;
}

function keyed<C extends DataChannel>(records: readonly FeedRecord<C>[]): Map<string, FeedRecord<C>> {
  return new Map(records.map((record) => [keyOf(record), record]));
}

function newestPosts<C extends DataChannel>(records: RecordMap<C>): readonly FeedRecord<C>[] {
  const createdAt = (record: object) => Number(Reflect.get(record, 'created_ts'));
  return [...records.values()].sort((a, b) => createdAt(b) - createdAt(a)).slice(0, POSTS_IN_SNAPSHOT);
}
