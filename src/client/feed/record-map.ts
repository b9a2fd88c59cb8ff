import type { DataChannel, DataFrame, FeedRecord, SnapshotFrame } from '../wire.ts';

/** Posts in a snapshot of the server. */
const FIRST_PAGE = 15;

/** The records of a channel by key, as the frames so far leave them. */
export type Holding<C extends DataChannel> = ReadonlyMap<string, FeedRecord<C>>;

/** What the record is of, as `key` of an update tells it: an event, a post, an account. */
export function keyOf(record: object): string {
  for (const name of ['event_id', 'tweet_id', 'account']) {
    const value: unknown = Reflect.get(record, name);
    if (value !== undefined) return String(value);
  }
  return 'test';
}

/** The records after one more frame. Takes over the map it is given. */
export function hold<C extends DataChannel>(
  held: Map<string, FeedRecord<C>>,
  frame: DataFrame<C>,
): Map<string, FeedRecord<C>> {
  if (frame.type === 'snapshot') return new Map(frame.data.map((record) => [keyOf(record), record]));
  if (frame.data === null) held.delete(frame.key);
  else held.set(frame.key, frame.data);
  if (frame.channel === 'tweets' && held.size > 4 * FIRST_PAGE) {
    return new Map(newestPosts(held).map((record) => [keyOf(record), record]));
  }
  return held;
}

/** What the server would send to one who comes now, after the frame told last. */
export function snapshotOf<C extends DataChannel>(
  held: Holding<C>,
  { channel, account, epoch, seq, ts }: DataFrame<C>,
): SnapshotFrame<C> {
  const data = channel === 'tweets' ? newestPosts(held) : [...held.values()];
  return { type: 'snapshot', channel, account, epoch, seq, prev_seq: null, ts, cause: [], data };
}

function newestPosts<C extends DataChannel>(held: Holding<C>): readonly FeedRecord<C>[] {
  const madeAt = (record: object) => Number(Reflect.get(record, 'created_ts'));
  return [...held.values()].sort((a, b) => madeAt(b) - madeAt(a)).slice(0, FIRST_PAGE);
}
