import { type AccountId, type Cause, HOUR_MS, type Output, type Post } from '../../../streams/internal.ts';
import type { FeedCause } from '../../contract/feed/names.ts';
import { textDigest } from '../../resilience/digest.ts';
import { createLoopYield } from '../../resilience/loop-yield.ts';
import type { Latest, OutputOf } from '../../views/latest.ts';
import type { PostsView } from '../../views/records/posts.ts';
import type { Topic } from '../channels.ts';
import { feedCause } from './causes.ts';
import type { FrameLog } from './frame-log.ts';
import { createMarker, type Mark } from './marks.ts';
import type { Change } from './numbering.ts';
import { createSteps, REST } from './steps.ts';
import { renderStored, type StoredRecord } from './stored-record.ts';
import type { PresentState, Records } from './topic-records.ts';

/** Least time between two frames of a key on a paced channel. */
const LEAST_GAP_MS = 1_000;
/** A post seen longer after its creation is history, and not published. */
const OLD_POST_MS = 48 * HOUR_MS;
/** The last version of a post is known for this long after its creation. Later only what everyone sees changes. */
const KNOWN_FOR_MS = 72 * HOUR_MS;
/** The most posts of a topic that are known. */
const KNOWN_POSTS = 2_000;

/**
 * Of more records than these, each of which takes up to a millisecond, requests are answered after each. A number, and not a
 * time: what few accounts change in a turn is always appended within that turn.
 */
const RECORDS_AT_ONCE = 64;
const RECORDS_AT_ONCE_OF_MANY_ACCOUNTS = 4;
/** While it catches up, others have the loop to themselves for a while after so many. */
const RECORDS_PER_REST = 4;
/** Of a step while the next tick waits already: readers of the feed are a second late then, so that requests wait a little. */
const LATE_STEP_MS = 2;
/** Of more accounts than these each turn changes many records. */
const FEW_ACCOUNTS = 8;
/** Of so many records each part is appended as soon as it is known, so that its readers do not wait for all others. */
const CHANGES_PER_PART = 16;

interface ChangesDeps {
  readonly latest: Latest;
  readonly topics: readonly Topic[];
  readonly records: Records;
  readonly log: FrameLog;
  /** Whether somebody reads a topic now. Such topics come first. */
  readonly isFollowed: (topic: Topic) => boolean;
  readonly report: (error: unknown) => void;
}

/** With many accounts the work of a turn is done in steps, and what comes meanwhile is appended after it. */
interface Changes {
  /** Appends what changed while the service was down: every post, and the present version of each state. Comes first. */
  catchUp(posts: Iterable<OutputOf<'posts'>>): void;
  /** Whether that is under way. */
  readonly isCatchingUp: boolean;
  /** Appends what the outputs of one turn changed. */
  follow(outputs: readonly Output[]): void;
  /** Resolves when everything is appended. */
  settled(): Promise<void>;
}

interface AppendOptions {
  readonly tick?: OutputOf<'freshness'> | undefined;
  readonly isCatchingUp?: boolean;
}

/** A record that has to be published, and why. */
interface DueRecord {
  readonly topic: Topic;
  readonly key: string;
  readonly causes: ReadonlySet<FeedCause>;
}

export function createChanges({ latest, topics, records, log, isFollowed, report }: ChangesDeps): Changes {
  /** Keys to be published with their causes, by topic; without topics that have none. */
  const due = new Map<Topic, Map<string, Set<FeedCause>>>();
  const placeOf = new Map(topics.map((topic, place) => [topic, place]));
  const marksOf = createMarker(latest, topics);
  let upTo = log.numberedUpTo ?? latest.seq;
  /** Posts up to this seq were read from the store. */
  let caughtUpTo = upTo;

  function add({ topic, key, cause }: Mark): void {
    const keys = due.get(topic) ?? new Map<string, Set<FeedCause>>();
    due.set(topic, keys);
    keys.set(key, (keys.get(key) ?? new Set()).add(cause));
  }

  const accounts = new Set(topics.flatMap(({ account }) => account ?? []));
  const areAccountsFew = accounts.size <= FEW_ACCOUNTS;
  const recordsAtOnce = areAccountsFew ? RECORDS_AT_ONCE : RECORDS_AT_ONCE_OF_MANY_ACCOUNTS;

  /** In the order of the topics. Of many accounts those that somebody follows come first, as the rest may take long. */
  function dueInOrder(): readonly (readonly [Topic, Map<string, Set<FeedCause>>])[] {
    const rankOf = (topic: Topic) => {
      const place = placeOf.get(topic) ?? 0;
      return areAccountsFew || !isFollowed(topic) ? place : place - topics.length;
    };
    const ranked = Array.from(due, ([topic, keys]) => ({
      rank: rankOf(topic),
      entry: [topic, keys] as const,
    }));
    return ranked.sort((a, b) => a.rank - b.rank).map(({ entry }) => entry);
  }

  const withUnwatched = topics.flatMap((topic) => {
    const { unwatched } = topic.records.type === 'states' ? topic.records.view : {};
    return unwatched === undefined ? [] : [{ topic, unwatched }];
  });
  const postTopics = new Map<AccountId, Topic[]>();
  for (const topic of topics) {
    const { account, records } = topic;
    if (account === null || records.type !== 'posts') continue;
    postTopics.set(account.id, [...(postTopics.get(account.id) ?? []), topic]);
  }

  /** What was stale at the last tick, by topic. */
  const lastStale = new Map<Topic, string>();

  /** Marks the records that a tick changes because a source has become stale, or is so no longer. */
  function addStale({ record: { stale, staleValues = [] } }: OutputOf<'freshness'>): void {
    for (const { topic, unwatched } of withUnwatched) {
      const late = staleValues.filter((value) => unwatched.includes(value.split('/')[0] ?? ''));
      const now = [...unwatched.filter((source) => stale.includes(source)), ...late].join();
      if (now === (lastStale.get(topic) ?? '')) continue;
      lastStale.set(topic, now);
      for (const key of records.keys(topic)) add({ topic, key, cause: 'clock' });
    }
  }

  /** Marks the records that were told with late inputs which are heard of again, unless they change anyway. */
  function addNoLongerLate(): void {
    for (const { topic, key } of records.takeNoLongerLate()) {
      // Those who were told by a snapshot saw something else than the frames said.
      seen.get(topic)?.delete(key);
      if (due.get(topic)?.has(key) !== true) add({ topic, key, cause: 'clock' });
    }
  }

  /**
   * Digests of what FREE readers see of each record, and the posts that they were shown, by topic: they get no frame without
   * news. The texts would come into the old generation of the heap, which would have to be collected more often.
   */
  const seen = new Map<Topic, Map<string, string | null>>();
  const seenPosts = new Map<Topic, Map<string, SeenPost>>();
  for (const topic of topics.filter(({ readers }) => readers === 'FREE')) {
    seen.set(topic, new Map());
    seenPosts.set(topic, new Map());
  }

  function isNews(topic: Topic, key: string, state: PresentState | null): boolean {
    const contents = seen.get(topic);
    if (contents === undefined) return true;
    const content = state === null ? null : textDigest(state.content());
    if (contents.get(key) === content) return false;
    if (content === null) contents.delete(key);
    else contents.set(key, content);
    return true;
  }

  /** The cause of a change of a post as the readers of a topic see it; undefined when they see none. */
  function postCause(topic: Topic, { record, cause }: OutputOf<'posts'>): Cause | undefined {
    const posts = seenPosts.get(topic);
    if (posts === undefined || topic.records.type !== 'posts') return cause;
    const before = posts.get(record.id);
    const seenNow = seenPost(topic.records.view, record);
    posts.set(record.id, seenNow);
    if (before === undefined) dropOld(posts, latest.at);
    // What the oracle has taken in is a PRO field, and alone has that cause.
    if (before === undefined) return cause === 'oracle' ? undefined : cause;
    if (before.digest === seenNow.digest) return undefined;
    return cause === 'oracle' ? 'post_edited' : cause;
  }

  function postChanges(post: OutputOf<'posts'>): readonly Change[] {
    const { record, at, cause } = post;
    if (cause === 'new_post' && at - record.createdAt > OLD_POST_MS) return [];
    return (postTopics.get(record.account) ?? []).flatMap((topic) => {
      const seenCause = postCause(topic, post);
      if (seenCause === undefined) return [];
      return [changeOf(topic, at, [feedCause(seenCause)], record.id, records.post(topic, post))];
    });
  }

  /** Has to be done once everything of the time before is published. What comes meanwhile is published after it, and is news. */
  function* learnPosts(): Generator<void> {
    let looked = 0;
    for (const [topic, posts] of seenPosts) {
      if (topic.records.type !== 'posts') continue;
      const { view } = topic.records;
      const known: (readonly [id: string, post: SeenPost])[] = [];
      for (const { record, seq } of view.posts(latest)) {
        if (known.length === KNOWN_POSTS || record.createdAt < latest.at - KNOWN_FOR_MS) break;
        if (seq <= caughtUpTo) known.push([record.id, seenPost(view, record)]);
        if (++looked % RECORDS_AT_ONCE === 0) yield;
      }
      for (const [id, post] of known.reverse()) posts.set(id, post);
    }
  }

  /** Removes and returns the records that are due. On a tick all are. */
  function takeDue(at: number, isTick: boolean): readonly DueRecord[] {
    const taken: DueRecord[] = [];
    for (const [topic, keys] of dueInOrder()) {
      const live = log.live(topic);
      for (const [key, causes] of keys) {
        const lastAt = live.get(key);
        const isEarly = lastAt !== undefined && at - lastAt < LEAST_GAP_MS;
        if (topic.channel.isPaced && isEarly && !isTick) continue;
        keys.delete(key);
        taken.push({ topic, key, causes });
      }
      if (keys.size === 0) due.delete(topic);
    }
    return taken;
  }

  function changesIn({ topic, key, causes }: DueRecord, at: number): readonly Change[] {
    const state = records.state(topic, key);
    if (!isNews(topic, key, state)) return [];
    // A record that readers never had needs no frame when it goes.
    if (state === null && !log.live(topic).has(key)) return [];
    return [changeOf(topic, at, [...causes], key, state === null ? null : state.record())];
  }

  /** Whether somebody follows the topic of the record there, and nobody those of the rest: readers need not wait for these. */
  function isLastFollowed(taken: readonly DueRecord[], place: number): boolean {
    const [record, next] = [taken[place], taken[place + 1]];
    return (
      record !== undefined &&
      record.topic !== next?.topic &&
      isFollowed(record.topic) &&
      (next === undefined || !isFollowed(next.topic))
    );
  }

  /** Whether it was published since the start. */
  function isPublished({ topic, key }: DueRecord): boolean {
    return (log.live(topic).get(key) ?? 0) > 0;
  }

  /**
   * Appends changes of posts, and those of the records that are due. Posts come first: whatever is stored after them says
   * that they are numbered. What comes while it catches up goes before the rest, which readers know already.
   */
  function* append(posts: Change[], { tick, isCatchingUp = false }: AppendOptions): Generator<unknown> {
    const { at } = latest;
    upTo = Math.max(upTo, latest.seq);
    const taken = takeDue(at, isCatchingUp || tick !== undefined);
    const areMany = taken.length > recordsAtOnce;
    let step = createLoopYield(LATE_STEP_MS);
    let appended = 0;
    let part = posts;
    if (areMany && part.length > 0) {
      log.append(part, upTo);
      part = [];
    }
    for (const [place, record] of taken.entries()) {
      if (!isCatchingUp || !isPublished(record)) part.push(...changesIn(record, at));
      if (!areMany) continue;
      if (part.length >= CHANGES_PER_PART || (part.length > 0 && isLastFollowed(taken, place))) {
        log.append(part, upTo);
        part = [];
      }
      const isLate = !isCatchingUp && waitingTick !== undefined;
      appended += 1;
      if (isLate ? !step.isDue() : isCatchingUp && appended % RECORDS_PER_REST !== 0) continue;
      yield isCatchingUp ? REST : undefined;
      step = createLoopYield(LATE_STEP_MS);
      if (isCatchingUp && isWaiting) yield* appendWaiting();
    }
    if (part.length > 0 || tick !== undefined) log.append(part, upTo, tick);
  }

  let isCatchingUp = false;

  function* catchUp(posts: Iterable<OutputOf<'posts'>>): Generator<unknown> {
    isCatchingUp = true;
    try {
      yield* publishMissed(posts);
    } finally {
      isCatchingUp = false;
    }
  }

  function* publishMissed(posts: Iterable<OutputOf<'posts'>>): Generator<unknown> {
    const changes: Change[] = [];
    for (const post of posts) {
      changes.push(...postChanges(post));
      upTo = Math.max(upTo, post.seq);
    }
    caughtUpTo = Math.max(upTo, latest.seq);
    yield* learnPosts();
    for (const topic of topics) {
      const present = records.keys(topic);
      for (const key of present) add({ topic, key, cause: 'clock' });
      for (const key of log.live(topic).keys()) {
        if (!present.includes(key)) add({ topic, key, cause: 'event_closed' });
      }
    }
    yield* append(changes, { isCatchingUp: true });
  }

  let waitingPosts: OutputOf<'posts'>[] = [];
  let waitingTick: OutputOf<'freshness'> | undefined;
  let isWaiting = false;

  function* appendWaiting(): Generator<unknown> {
    const [posts, tick] = [waitingPosts, waitingTick];
    waitingPosts = [];
    waitingTick = undefined;
    isWaiting = false;
    // To store and publish the turn has taken its share of the thread.
    if (!areAccountsFew) yield;
    if (tick !== undefined) {
      addStale(tick);
      addNoLongerLate();
    }
    // Posts that were read from the store may be announced again.
    const changes = posts.flatMap((post) => (post.seq > caughtUpTo ? postChanges(post) : []));
    yield* append(changes, { tick });
  }

  const steps = createSteps(() => (isWaiting ? appendWaiting() : undefined), report);

  return {
    catchUp: (posts) => steps.begin(catchUp(posts)),
    get isCatchingUp() {
      return isCatchingUp;
    },
    follow(outputs) {
      for (const output of outputs) {
        if (output.stream === 'freshness') waitingTick = output;
        if (output.stream === 'posts') waitingPosts.push(output);
        for (const mark of marksOf(output)) add(mark);
      }
      isWaiting = true;
      steps.begin();
    },
    settled: steps.settled,
  };
}

/** What FREE readers see of a post. Its digest, as there are thousands of such posts. */
interface SeenPost {
  readonly createdAt: number;
  readonly digest: string;
}

function seenPost(view: Pick<PostsView, 'digest'>, post: Post): SeenPost {
  return { createdAt: post.createdAt, digest: view.digest(post, 'FREE') };
}

/** From those that were added first on. */
function dropOld(posts: Map<string, SeenPost>, at: number): void {
  for (const [id, { createdAt }] of posts) {
    if (createdAt >= at - KNOWN_FOR_MS && posts.size <= KNOWN_POSTS) return;
    posts.delete(id);
  }
}

function changeOf(
  topic: Topic,
  at: number,
  causes: readonly FeedCause[],
  key: string,
  record: StoredRecord,
): Change {
  return { topic, at, causes, key, isGone: record === null, record, data: renderStored(topic, record) };
}
