import type { AccountId, Output } from '../../streams/index.ts';
import type { FeedCause } from '../contract/feed.ts';
import { activeCryptoEvents, activeEvents } from '../server/active-events.ts';
import { WITH_VELOCITY } from '../server/routes/prediction.ts';
import type { Latest, OutputOf } from '../store/latest.ts';
import { feedCause } from './causes.ts';
import type { Topic } from './channels.ts';
import { GONE } from './frames.ts';
import type { Change, FeedLog } from './log.ts';
import type { Records } from './records.ts';
import { viewsOf } from './rows.ts';

/** What moves with every price is told no more often than this, per key. */
const LEAST_GAP_MS = 1_000;
/** A post seen later than this after its creation is history being read, and no news. */
const OLD_POST_MS = 48 * 3_600_000;

export interface ChangesDeps {
  readonly latest: Latest;
  readonly topics: readonly Topic[];
  readonly records: Records;
  readonly log: FeedLog;
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

  const topicsFor = (account: AccountId | null, ...names: readonly string[]) =>
    stateTopics.filter(
      (topic) => (topic.account?.id ?? null) === account && names.includes(topic.channel.name),
    );

  function mark(marked: readonly Topic[], key: string, cause: FeedCause): void {
    for (const topic of marked) {
      const keys = due.get(topic);
      const causes = keys?.get(key) ?? new Set();
      keys?.set(key, causes.add(cause));
    }
  }

  function markEvents(account: AccountId, name: string, cause: FeedCause): void {
    for (const { key } of activeEvents(latest, account)) mark(topicsFor(account, name), key, cause);
  }

  /** Marks what a turn's output changes of the records over REST. */
  function note(output: Output): void {
    const cause = feedCause(output.cause);
    switch (output.stream) {
      case 'events': {
        const { subject } = output.record;
        const account = subject.type === 'posts' ? subject.account : null;
        const own =
          account === null
            ? topicsFor(null, 'crypto')
            : topicsFor(account, 'counters', 'prediction', 'signals');
        // An event may leave the account it had.
        const old = stateTopics.filter((topic) => !own.includes(topic) && log.live(topic).has(output.key));
        mark([...own, ...old], output.key, cause);
        return;
      }
      case 'counters':
        mark(topicsFor(output.record.account, 'counters', 'prediction'), output.key, cause);
        return;
      case 'prices': {
        const key = String(output.record.eventId);
        const subject = latest.get('events', key)?.record.subject;
        if (subject?.type === 'posts') mark(topicsFor(subject.account, 'prediction'), key, cause);
        else if (subject) mark(topicsFor(null, 'crypto'), key, cause);
        return;
      }
      case 'spot':
        for (const { key, record } of activeCryptoEvents(latest)) {
          if (record.subject.type !== 'crypto' || record.subject.symbol !== output.key) continue;
          mark(topicsFor(null, 'crypto'), key, cause);
        }
        return;
      case 'predictions': {
        // Those kept to be scored stand under other keys.
        const isShown = output.key === String(output.record.eventId);
        if (isShown) mark(topicsFor(output.record.account, 'prediction'), output.key, cause);
        return;
      }
      case 'velocity':
      case 'lag': {
        const { account } = output.record;
        const [topic] = topicsFor(account, output.stream);
        if (topic?.account) mark([topic], topic.account.segment, cause);
        const isPart = output.stream === 'velocity' && account === WITH_VELOCITY;
        if (isPart) markEvents(account, 'prediction', cause);
        return;
      }
      case 'signals':
        mark(topicsFor(output.record.account, 'signals'), output.key, cause);
        return;
      case 'scores':
        markEvents(output.record.account, 'signals', cause);
        return;
      case 'freshness':
        mark(topicsFor(null, 'test'), 'test', 'clock');
        return;
      default:
        return;
    }
  }

  function postChange(post: OutputOf<'posts'>): readonly Change[] {
    const { record, at, cause } = post;
    const topic = topics.find(({ channel, account }) => channel.isLossless && account?.id === record.account);
    if (topic === undefined || (cause === 'new_post' && at - record.createdAt > OLD_POST_MS)) return [];
    // Every view at once: what is stored is what was sent.
    const texts = new Map(
      viewsOf(topic).map((view) => [view.name, records.post(post, record.account, view)] as const),
    );
    const data: Change['data'] = ({ name }) => texts.get(name) ?? GONE;
    return [{ topic, at, causes: [feedCause(cause)], key: record.id, isGone: false, data }];
  }

  /** The change of a marked key; undefined when there is nothing to tell. */
  function stateChange(
    topic: Topic,
    key: string,
    causes: Iterable<FeedCause>,
    at: number,
  ): Change | undefined {
    const texts = new Map<string, string>();
    for (const view of viewsOf(topic)) {
      const text = records.record(topic, key, view);
      if (text !== undefined) texts.set(view.name, text);
    }
    const isGone = texts.size === 0;
    if (isGone && !log.live(topic).has(key)) return undefined;
    // A bankroll of one's own is put in when it is first asked for: the record is never older than its number.
    const data: Change['data'] = (view) => {
      const text = texts.get(view.name) ?? (isGone ? GONE : (records.record(topic, key, view) ?? GONE));
      texts.set(view.name, text);
      return text;
    };
    return { topic, at, causes: [...causes], key, isGone, data };
  }

  /** Takes out what is to be told now; on a tick that is everything. */
  function takeDue(at: number, isTick: boolean): Change[] {
    const changes: Change[] = [];
    for (const [topic, keys] of due) {
      for (const [key, causes] of keys) {
        const lastAt = log.live(topic).get(key);
        const isEarly = lastAt !== undefined && at - lastAt < LEAST_GAP_MS;
        if (topic.channel.keeps === 'newest' && isEarly && !isTick) continue;
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
      log.tell([...changes, ...takeDue(latest.at, true)], upTo);
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
      if (changes.length > 0 || tick !== undefined) log.tell(changes, upTo, tick);
    },
  };
}
