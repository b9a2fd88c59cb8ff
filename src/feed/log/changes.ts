import type { Output } from '../../../streams/internal.ts';
import { HOUR_MS } from '../../../streams/internal.ts';
import type { FeedCause } from '../../contract/feed.ts';
import type { Latest, OutputOf } from '../../views/latest.ts';
import { createConcerns } from '../../views/marks.ts';
import type { Records } from '../../views/records.ts';
import type { Topic } from '../channels.ts';
import { feedCause } from './causes.ts';
import type { Change, FrameLog } from './frame-log.ts';
import { readerOf } from './stored-record.ts';

/** What moves with every price is told no more often than this, per key. */
const LEAST_GAP_MS = 1_000;
/** A post seen later than this after its creation is history being read, and no news. */
const OLD_POST_MS = 48 * HOUR_MS;

export interface ChangesDeps {
  readonly latest: Latest;
  readonly topics: readonly Topic[];
  readonly records: Records;
  readonly log: FrameLog;
}

export interface Changes {
  /** What changed since the last start: posts one by one, of everything else how it is now. */
  catchUp(posts: Iterable<OutputOf<'posts'>>): void;
  /** What the outputs of one turn came to. */
  follow(outputs: readonly Output[]): void;
}

/** Turns outputs into changes of records. */
export function createChanges({ latest, topics, records, log }: ChangesDeps): Changes {
  /** Keys to be told, with why, by topic. */
  const due = new Map<Topic, Map<string, Set<FeedCause>>>(topics.map((topic) => [topic, new Map()]));
  const stateTopics = topics.filter(({ channel }) => !channel.isLossless && channel.keeps !== 'nothing');
  let upTo = log.numberedUpTo ?? latest.seq;

  function mark(marked: readonly Topic[], key: string, cause: FeedCause): void {
    for (const topic of marked) {
      const keys = due.get(topic);
      const causes = keys?.get(key) ?? new Set();
      keys?.set(key, causes.add(cause));
    }
  }

  const note = createConcerns({
    latest,
    topics: stateTopics,
    isLive: (topic, key) => log.live(topic).has(key),
    mark,
  });

  function postChange(post: OutputOf<'posts'>): readonly Change[] {
    const { record, at, cause } = post;
    const topic = topics.find(({ channel, account }) => channel.isLossless && account?.id === record.account);
    if (topic === undefined || (cause === 'new_post' && at - record.createdAt > OLD_POST_MS)) return [];
    const lines = records.post(topic, post);
    const causes = [feedCause(cause)];
    return [{ topic, at, causes, key: record.id, isGone: false, lines, data: readerOf(topic, lines) }];
  }

  /** The change of a marked key; undefined when there is nothing to tell. */
  function stateChange(
    topic: Topic,
    key: string,
    causes: Iterable<FeedCause>,
    at: number,
  ): Change | undefined {
    const lines = records.record(topic, key);
    const isGone = lines.length === 0;
    if (isGone && !log.live(topic).has(key)) return undefined;
    return { topic, at, causes: [...causes], key, isGone, lines, data: readerOf(topic, lines) };
  }

  /** Takes out what is to be told now; on a tick that is everything. */
  function takeDue(at: number, isTick: boolean): Change[] {
    const changes: Change[] = [];
    for (const [topic, keys] of due) {
      for (const [key, causes] of keys) {
        const lastAt = log.live(topic).get(key);
        const isEarly = lastAt !== undefined && at - lastAt < LEAST_GAP_MS;
        if (topic.channel.isPaced && isEarly && !isTick) continue;
        keys.delete(key);
        const change = stateChange(topic, key, causes, at);
        if (change) changes.push(change);
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
      for (const topic of stateTopics) {
        const present = records.keys(topic);
        const absent = [...log.live(topic).keys()].filter((key) => !present.includes(key));
        for (const key of present) mark([topic], key, 'clock');
        for (const key of absent) mark([topic], key, 'event_closed');
      }
      upTo = Math.max(upTo, latest.seq);
      log.append([...changes, ...takeDue(latest.at, true)], upTo);
    },
    follow(outputs) {
      const changes: Change[] = [];
      let tick: OutputOf<'freshness'> | undefined;
      for (const output of outputs) {
        if (output.stream === 'posts') {
          // What was read from the disk at the start may be published a moment later.
          if (output.seq > upTo) changes.push(...postChange(output));
          continue;
        }
        if (output.stream === 'freshness') tick = output;
        note(output);
      }
      upTo = Math.max(upTo, latest.seq);
      changes.push(...takeDue(latest.at, tick !== undefined));
      if (changes.length > 0 || tick !== undefined) log.append(changes, upTo, tick);
    },
  };
}
