import { HOUR_MS, type Output } from '../../../streams/internal.ts';
import type { FeedCause } from '../../contract/feed.ts';
import type { Latest, OutputOf } from '../../views/latest.ts';
import type { Topic } from '../channels.ts';
import { feedCause } from './causes.ts';
import type { FrameLog } from './frame-log.ts';
import { createMarker, type Mark } from './marks.ts';
import type { Change } from './numbering.ts';
import { renderStored, type StoredRecord } from './stored-record.ts';
import type { Records } from './topic-records.ts';

/** What moves with every price is published no more often than this, per key. */
const LEAST_GAP_MS = 1_000;
/** A post seen later than this after its creation is history being read, and no news. */
const OLD_POST_MS = 48 * HOUR_MS;

interface ChangesDeps {
  readonly latest: Latest;
  readonly topics: readonly Topic[];
  readonly records: Records;
  readonly log: FrameLog;
}

interface Changes {
  /** What changed since the last start: posts one by one, of everything else how it is now. */
  catchUp(posts: Iterable<OutputOf<'posts'>>): void;
  /** What the outputs of one turn changed. */
  follow(outputs: readonly Output[]): void;
}

/** Turns outputs into changes of records, and appends them to the frame log. */
export function createChanges({ latest, topics, records, log }: ChangesDeps): Changes {
  /** Keys to be published with their causes, by topic. */
  const due = new Map<Topic, Map<string, Set<FeedCause>>>(topics.map((topic) => [topic, new Map()]));
  const marksOf = createMarker(latest, topics);
  let upTo = log.numberedUpTo ?? latest.seq;

  function add({ topic, key, cause }: Mark): void {
    const keys = due.get(topic);
    keys?.set(key, (keys.get(key) ?? new Set()).add(cause));
  }

  function postChange(post: OutputOf<'posts'>): readonly Change[] {
    const { record, at, cause } = post;
    if (cause === 'new_post' && at - record.createdAt > OLD_POST_MS) return [];
    const topic = topics.find(
      ({ records: { type }, account }) => type === 'posts' && account?.id === record.account,
    );
    return topic ? [changeOf(topic, at, [feedCause(cause)], record.id, records.post(topic, post))] : [];
  }

  /** Takes out what is due; on a tick that is everything. */
  function takeDue(at: number, isTick: boolean): readonly Change[] {
    const changes: Change[] = [];
    for (const [topic, keys] of due) {
      const live = log.live(topic);
      for (const [key, causes] of keys) {
        const lastAt = live.get(key);
        const isEarly = lastAt !== undefined && at - lastAt < LEAST_GAP_MS;
        if (topic.channel.isPaced && isEarly && !isTick) continue;
        keys.delete(key);
        const stored = records.record(topic, key);
        // What readers never had cannot go.
        if (stored.length > 0 || live.has(key)) changes.push(changeOf(topic, at, [...causes], key, stored));
      }
    }
    return changes;
  }

  return {
    catchUp(posts) {
      const changes: Change[] = [];
      for (const post of posts) {
        changes.push(...postChange(post));
        upTo = Math.max(upTo, post.seq);
      }
      for (const topic of topics) {
        const present = records.keys(topic);
        for (const key of present) add({ topic, key, cause: 'clock' });
        for (const key of log.live(topic).keys()) {
          if (!present.includes(key)) add({ topic, key, cause: 'event_closed' });
        }
      }
      upTo = Math.max(upTo, latest.seq);
      log.append([...changes, ...takeDue(latest.at, true)], upTo);
    },
    follow(outputs) {
      const changes: Change[] = [];
      let tick: OutputOf<'freshness'> | undefined;
      for (const output of outputs) {
        if (output.stream === 'freshness') tick = output;
        // What was read from the disk at the start may be published a moment later.
        if (output.stream === 'posts' && output.seq > upTo) changes.push(...postChange(output));
        for (const mark of marksOf(output)) add(mark);
      }
      upTo = Math.max(upTo, latest.seq);
      changes.push(...takeDue(latest.at, tick !== undefined));
      if (changes.length > 0 || tick !== undefined) log.append(changes, upTo, tick);
    },
  };
}

function changeOf(
  topic: Topic,
  at: number,
  causes: readonly FeedCause[],
  key: string,
  lines: StoredRecord,
): Change {
  return { topic, at, causes, key, isGone: lines.length === 0, lines, data: renderStored(topic, lines) };
}
