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

/** Least time between two frames of a key on a paced channel. */
const LEAST_GAP_MS = 1_000;
/** A post seen longer after its creation is history, and not published. */
const OLD_POST_MS = 48 * HOUR_MS;

interface ChangesDeps {
  readonly latest: Latest;
  readonly topics: readonly Topic[];
  readonly records: Records;
  readonly log: FrameLog;
}

interface Changes {
  /** Appends what changed while the service was down: every post, and the present version of each state. */
  catchUp(posts: Iterable<OutputOf<'posts'>>): void;
  /** Appends what the outputs of one turn changed. */
  follow(outputs: readonly Output[]): void;
}

export function createChanges({ latest, topics, records, log }: ChangesDeps): Changes {
  /** Keys to be published with their causes, by topic. */
  const due = new Map<Topic, Map<string, Set<FeedCause>>>(topics.map((topic) => [topic, new Map()]));
  const marksOf = createMarker(latest, topics);
  let upTo = log.numberedUpTo ?? latest.seq;

  function add({ topic, key, cause }: Mark): void {
    const keys = due.get(topic);
    keys?.set(key, (keys.get(key) ?? new Set()).add(cause));
  }

  /** What was stale at the last tick, by topic. */
  const lastStale = new Map<Topic, string>();

  /** Marks the records that a tick changes because a source has become stale, or is so no longer. */
  function addStale({ record: { stale, staleValues = [] } }: OutputOf<'freshness'>): void {
    for (const topic of topics) {
      const { unwatched } = topic.records.type === 'states' ? topic.records.view : {};
      if (unwatched === undefined) continue;
      const late = staleValues.filter((value) => unwatched.includes(value.split('/')[0] ?? ''));
      const now = [...unwatched.filter((source) => stale.includes(source)), ...late].join();
      if (now === (lastStale.get(topic) ?? '')) continue;
      lastStale.set(topic, now);
      for (const key of records.keys(topic)) add({ topic, key, cause: 'clock' });
    }
  }

  function postChange(post: OutputOf<'posts'>): readonly Change[] {
    const { record, at, cause } = post;
    if (cause === 'new_post' && at - record.createdAt > OLD_POST_MS) return [];
    const topic = topics.find(
      ({ records: { type }, account }) => type === 'posts' && account?.id === record.account,
    );
    return topic ? [changeOf(topic, at, [feedCause(cause)], record.id, records.post(topic, post))] : [];
  }

  /** Removes and returns the changes that are due. On a tick all are. */
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
        // A record that readers never had needs no frame when it goes.
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
        // Posts that `catchUp` read from the store may be announced again.
        if (output.stream === 'posts' && output.seq > upTo) changes.push(...postChange(output));
        for (const mark of marksOf(output)) add(mark);
      }
      if (tick !== undefined) addStale(tick);
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
