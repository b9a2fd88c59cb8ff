import { type Observable, Subject } from 'rxjs';
import {
  type AccountId,
  DAY_MS,
  type EventRecord,
  HOUR_MS,
  KEPT_STREAMS,
  type Output,
  type StreamName,
} from '../../streams/internal.ts';
import type { EventHead, LatestText, Outputs } from '../store/store.ts';
import { listOf, type PostList, placeOf, storedList } from './post-list.ts';

export type OutputOf<S extends StreamName> = Extract<Output, { readonly stream: S }>;

/** When an event was open, under its key. */
interface EventWindow extends Pick<EventRecord, 'startAt' | 'endAt'> {
  readonly key: string;
}

/** Streams that grow with the accounts and are read by account. */
type AccountStream = 'events' | 'scores' | 'decisions';

/** Under which an output of such a stream is found; undefined for others, and for events that are about no account. */
function placeOfAccount(output: Output): string | undefined {
  switch (output.stream) {
    case 'events':
      return placeOfEvent(output.record);
    case 'scores':
    case 'decisions':
      return accountPlace(output.stream, output.record.account);
    default:
      return undefined;
  }
}

function placeOfEvent({ subject }: Pick<EventRecord, 'subject'>): string | undefined {
  return subject.type === 'posts' ? accountPlace('events', subject.account) : undefined;
}

function accountPlace(stream: AccountStream, account: AccountId): string {
  return `${stream} ${account}`;
}

/**
 * The latest output of every key of every stream. Readers see nothing else. What is open is in memory; older posts,
 * events that are over for days, the prices and forecasts of closed events, and decisions about the past may have to be read
 * from the store.
 */
export interface Latest {
  /** The last observation whose outputs are included, and when it was received; 0 before the first. */
  readonly seq: number;
  readonly at: number;
  /** How many times as fast as the clock of the machine the calendar of these values runs. */
  readonly speed: number;
  /**
   * At least so many ms have passed since the tick that `freshness` tells of, by a clock that never goes back. 0 where there is
   * no such clock.
   */
  sinceTick(account?: AccountId): number;
  get<S extends StreamName>(stream: S, key: string): OutputOf<S> | undefined;
  /** Those in memory. */
  all<S extends StreamName>(stream: S): Iterable<OutputOf<S>>;
  /**
   * Those of one account, without a search through all. After a restart with many events, scores and decisions about an
   * event that has since become another account's are among them once all were read.
   */
  ofAccount<S extends AccountStream>(stream: S, account: AccountId): Iterable<OutputOf<S>>;
  /**
   * Reads some of a stream that a restart has put off, and returns how many: 0 when all of it is in memory. Whoever needs a
   * whole stream can so read it in small steps.
   */
  readMore(stream: StreamName): number;
  /** The accounts that an event was about before it became another's, as far as that was seen here. Most have none. */
  formerAccounts(eventKey: string): Iterable<AccountId>;
  /** The windows of all events of an account, those that are not in memory included. */
  windows(account: AccountId): Iterable<EventWindow>;
  posts(account: AccountId): PostList;
  /** The ages of all sources at the last tick, or of those that the records of an account come from. */
  freshness(account?: AccountId): OutputOf<'freshness'> | undefined;
  /** The outputs of each turn, once they are stored and included here. */
  readonly change$: Observable<readonly Output[]>;
}

export interface LatestWriter extends Latest {
  /** Adds the outputs of a turn that ended with observation `seq`, received at `at`, and announces them on `change$`. */
  apply(outputs: readonly Output[], seq: number, at: number): void;
  /** The last tick, or that of the outputs that are applied next, is of so many ms ago by the clock of the machine. */
  ticked(agoMs: number): void;
  /** Adds stored outputs without announcing them. */
  load(outputs: readonly Output[]): void;
  /** Adds what a store has of all kept streams, as far as it has to be in memory. */
  loadFrom(outputs: Outputs): void;
}

type PostOutput = OutputOf<'posts'>;

type StoredOutputs = Pick<Outputs, 'get' | 'timeline' | 'postCount'>;

/** The rest of a stream, which was not read yet. */
interface PutOff {
  readonly outputs: Outputs;
  /** What lies after this key is the rest; all of it unless given. */
  after?: string | undefined;
}

/** Posts of an account in memory: the newest ones, and up to as many again until the older of them are dropped. */
export const NEWEST_POSTS = 50;

/** The streams of which not everything is in memory. */
const READ_WHEN_ASKED: readonly StreamName[] = [
  'posts',
  'events',
  'prices',
  'minutes',
  'predictions',
  'decisions',
];

/** In the JSON of a decision that was made live. Within a text the quotes would be escaped. */
const OF_LIVE = '"origin":"live"';

/**
 * After a start these are read when one of them is first asked for: the engine does not need them to run. Of few events all
 * are read then, of more only those that are asked for.
 */
const READ_AT_FIRST_USE: readonly StreamName[] = ['scores', 'decisions'];
const FEW_EVENTS = 500;
const ROWS_PER_STEP = 50;
/** One more than an event has, which is one for each horizon unless its window changed. */
const ROWS_PER_EVENT = 4;

/** A closed event is in memory for this long after its end, and is looked for when events change, so often at most. */
const OVER_AFTER_MS = 8 * DAY_MS;
const SWEEP_MS = HOUR_MS;

function isOver({ isClosed, endAt }: Pick<EventHead, 'isClosed' | 'endAt'>, at: number): boolean {
  return isClosed && endAt < at - OVER_AFTER_MS;
}

interface Timeline {
  /** The first of all, each turn a new list: a reader can keep one while it works. */
  readonly newest: readonly PostOutput[];
  /** Of all posts. */
  readonly length: number;
}

interface LatestOptions {
  readonly speed?: number;
  /** Ms that never go back. */
  readonly mono?: () => number;
}

/** With the store that the outputs go to, what is rarely asked for is read from there. Without, all is in memory. */
export function createLatest(
  stored?: StoredOutputs,
  { speed = 1, mono = () => 0 }: LatestOptions = {},
): LatestWriter {
  const streams = new Map<StreamName, Map<string, Output>>();
  const byAccount = new Map<string, Map<string, Output>>();
  const timelines = new Map<AccountId, Timeline>();
  const formerAccounts = new Map<string, Set<AccountId>>();
  /** Of events that are not in memory. */
  const pastWindows = new Map<string | undefined, Map<string, EventWindow>>();
  const unread = new Map<StreamName, PutOff>();
  /** What was read of these meanwhile, by stream and account. */
  const readPlaces = new Set<string>();
  let sweptAt = 0;
  const changes$ = new Subject<readonly Output[]>();
  let lastSeq = 0;
  let lastAt = 0;
  /** By `mono`. */
  let tickedAt = mono();

  /** Adds what was stored, unless a later turn brought it already, or it is of no use in memory. */
  function putStored(stream: StreamName, rows: readonly LatestText[]): void {
    const values = streams.get(stream);
    const wanted = rows.filter(
      ({ key, json }) => values?.has(key) !== true && (stream !== 'decisions' || json.includes(OF_LIVE)),
    );
    // A row holds the JSON of an output.
    put(wanted.map(({ json }) => JSON.parse(json) as Output));
  }

  function readMore(stream: StreamName): number {
    const rest = unread.get(stream);
    if (rest === undefined) return 0;
    const rows = rest.outputs.latestAfter(stream, rest.after, ROWS_PER_STEP);
    rest.after = rows.at(-1)?.key ?? rest.after;
    if (rows.length < ROWS_PER_STEP) unread.delete(stream);
    putStored(stream, rows);
    return rows.length;
  }

  function readIfPutOff(stream: StreamName, key: string): Output | undefined {
    const found = unread.get(stream)?.outputs.get(stream, key);
    if (found !== undefined) put([found]);
    return found;
  }

  function readAll(stream: StreamName): void {
    while (unread.has(stream)) readMore(stream);
  }

  function areEventsFew(): boolean {
    let count = streams.get('events')?.size ?? 0;
    for (const windows of pastWindows.values()) count += windows.size;
    return count <= FEW_EVENTS;
  }

  function readOfAccount(stream: AccountStream, account: AccountId): void {
    const rest = unread.get(stream);
    const there = accountPlace(stream, account);
    if (rest === undefined || readPlaces.has(there)) return;
    if (areEventsFew()) {
      readAll(stream);
      return;
    }
    readPlaces.add(there);
    for (const { key } of latest.windows(account)) readOfEvent(stream, `${key}@`, rest.outputs);
  }

  /** The keys of an event's rows begin with its own. */
  function readOfEvent(stream: StreamName, begin: string, outputs: Outputs): void {
    for (let after = begin; ; ) {
      const rows = outputs.latestAfter(stream, after, ROWS_PER_EVENT);
      const own = rows.filter(({ key }) => key.startsWith(begin));
      putStored(stream, own);
      if (own.length < ROWS_PER_EVENT) return;
      after = own.at(-1)?.key ?? after;
    }
  }

  function valuesOf(stream: StreamName): Map<string, Output> {
    const values = streams.get(stream) ?? new Map<string, Output>();
    streams.set(stream, values);
    return values;
  }

  function unplace(output: Output | undefined): void {
    const place = output && placeOfAccount(output);
    if (output !== undefined && place !== undefined) byAccount.get(place)?.delete(output.key);
  }

  function place(output: Output, known: Output | undefined): void {
    const there = placeOfAccount(output);
    if (known !== undefined && there !== placeOfAccount(known)) {
      unplace(known);
      if (known.stream === 'events') noteFormer(known);
    }
    if (there === undefined) return;
    const values = byAccount.get(there) ?? new Map<string, Output>();
    byAccount.set(there, values);
    values.set(output.key, output);
  }

  function noteFormer({ key, record: { subject } }: OutputOf<'events'>): void {
    if (subject.type !== 'posts') return;
    formerAccounts.set(key, (formerAccounts.get(key) ?? new Set()).add(subject.account));
  }

  // Each output is stored under its own stream.
  function get<S extends StreamName>(stream: S, key: string): OutputOf<S> | undefined {
    const known = streams.get(stream)?.get(key) ?? readIfPutOff(stream, key);
    if (known !== undefined || stored === undefined || !READ_WHEN_ASKED.includes(stream)) {
      return known as OutputOf<S> | undefined;
    }
    const found = stored.get(stream, key);
    // Each bucket of an open event has a price, and a restart would take long to read all of them before one is asked for.
    if (found?.stream === 'prices' && !isCold(found)) valuesOf(stream).set(key, found);
    return found as OutputOf<S> | undefined;
  }

  function isClosed(eventId: number): boolean {
    const event = streams.get('events')?.get(String(eventId));
    return event?.stream === 'events' && event.record.phase === 'closed';
  }

  /** Whether it is read from the store when it is asked for. */
  function isCold({ stream, key, record }: Output): boolean {
    if (stored === undefined) return false;
    // Only their history is asked for.
    if (stream === 'minutes') return true;
    // Nobody was told to buy by a decision about the past, and most are.
    if (stream === 'decisions') return record.origin !== 'live';
    if (stream === 'predictions') return key !== String(record.eventId) || isClosed(record.eventId);
    return stream === 'prices' && isClosed(record.eventId);
  }

  function putEvent(output: OutputOf<'events'>): void {
    const { key, record } = output;
    pastWindows.get(placeOfAccount(output))?.delete(key);
    if (stored === undefined || record.phase !== 'closed') return;
    streams.get('predictions')?.delete(key);
    for (const { yesToken } of record.buckets) streams.get('prices')?.delete(yesToken);
  }

  /** Takes the events that were over long before `at` out of memory. */
  function sweepEvents(at: number): void {
    if (stored === undefined || at < sweptAt + SWEEP_MS) return;
    sweptAt = at;
    for (const event of latest.all('events')) {
      const { key, record } = event;
      if (!isOver({ isClosed: record.phase === 'closed', endAt: record.endAt }, at)) continue;
      notePast(placeOfEvent(record), { key, startAt: record.startAt, endAt: record.endAt });
      unplace(event);
      formerAccounts.delete(key);
      streams.get('events')?.delete(key);
    }
  }

  function notePast(there: string | undefined, window: EventWindow): void {
    const windows = pastWindows.get(there) ?? new Map<string, EventWindow>();
    pastWindows.set(there, windows.set(window.key, window));
  }

  /** Events that are over for long are most of all, and are not read. */
  function loadEvents(outputs: Outputs): void {
    if (stored === undefined) {
      latest.load(outputs.latest('events'));
      return;
    }
    const heads = [...outputs.eventHeads()].sort((a, b) => (a.key < b.key ? -1 : 1));
    const wanted: string[] = [];
    for (const head of heads) {
      const { key, account, startAt, endAt } = head;
      if (isOver(head, lastAt)) {
        notePast(account === null ? undefined : accountPlace('events', account), { key, startAt, endAt });
        include(head);
      } else wanted.push(key);
    }
    latest.load(wanted.flatMap((key) => outputs.get('events', key) ?? []));
  }

  function timelineOf(account: AccountId): Timeline {
    const known = timelines.get(account);
    if (known !== undefined || stored === undefined) return known ?? { newest: [], length: 0 };
    const length = stored.postCount(account);
    const newest = storedList(stored, account, [], length).slice(0, NEWEST_POSTS);
    const timeline = { newest, length };
    timelines.set(account, timeline);
    return timeline;
  }

  /** Posts that are not among the newest are in the store alone. A timeline that nobody asked for is not in memory. */
  function putPosts(outputs: readonly PostOutput[]): void {
    const changed = new Map<AccountId, PostOutput[]>();
    for (const output of outputs) {
      const { account } = output.record;
      const known = timelines.get(account);
      if (known === undefined && stored !== undefined) continue;
      const posts = changed.get(account) ?? [...(known?.newest ?? [])];
      changed.set(account, posts);
      const index = posts.findIndex(({ key }) => key === output.key);
      if (index !== -1) posts.splice(index, 1);
      const place = placeOf(posts, output);
      const isWhole = known === undefined || known.newest.length === known.length;
      if (place < posts.length || isWhole) posts.splice(place, 0, output);
    }
    for (const [account, posts] of changed) {
      const length = stored?.postCount(account) ?? posts.length;
      const isLong = stored !== undefined && posts.length >= 2 * NEWEST_POSTS;
      timelines.set(account, { newest: isLong ? posts.slice(0, NEWEST_POSTS) : posts, length });
    }
  }

  function put(outputs: readonly Output[]): void {
    const posts: PostOutput[] = [];
    for (const output of outputs) {
      const { stream, key } = output;
      if (stream === 'posts') posts.push(output);
      if (stream === 'posts' && stored !== undefined) continue;
      const known = streams.get(stream)?.get(key);
      if (isCold(output)) {
        unplace(known);
        streams.get(stream)?.delete(key);
        continue;
      }
      place(output, known);
      if (stream === 'events') putEvent(output);
      valuesOf(stream).set(key, output);
    }
    if (posts.length > 0) putPosts(posts);
  }

  const latest: LatestWriter = {
    get seq() {
      return lastSeq;
    },
    get at() {
      return lastAt;
    },
    get,
    all<S extends StreamName>(stream: S) {
      readAll(stream);
      return valuesOf(stream).values() as Iterable<OutputOf<S>>;
    },
    ofAccount<S extends AccountStream>(stream: S, account: AccountId) {
      readOfAccount(stream, account);
      return (byAccount.get(accountPlace(stream, account))?.values() ?? []) as Iterable<OutputOf<S>>;
    },
    readMore,
    formerAccounts: (eventKey) => formerAccounts.get(eventKey) ?? [],
    *windows(account) {
      yield* pastWindows.get(accountPlace('events', account))?.values() ?? [];
      for (const { key, record } of latest.ofAccount('events', account)) {
        yield { key, startAt: record.startAt, endAt: record.endAt };
      }
    },
    posts(account) {
      const { newest, length } = timelineOf(account);
      return stored === undefined ? listOf(newest) : storedList(stored, account, newest, length);
    },
    speed,
    sinceTick: () => mono() - tickedAt,
    ticked(agoMs) {
      tickedAt = mono() - agoMs;
    },
    freshness: () => latest.get('freshness', 'all'),
    change$: changes$.asObservable(),

    apply(outputs, seq, at) {
      put(outputs);
      lastSeq = seq;
      lastAt = at;
      if (outputs.some(({ stream }) => stream === 'events')) sweepEvents(at);
      changes$.next(outputs);
    },

    load(outputs) {
      put(outputs);
      for (const output of outputs) include(output);
    },

    loadFrom(outputs) {
      for (const stream of KEPT_STREAMS) {
        if (stream === 'events') continue;
        const isPutOff = stored !== undefined && READ_AT_FIRST_USE.includes(stream);
        const isWhole = stored === undefined || !READ_WHEN_ASKED.includes(stream);
        if (isPutOff) unread.set(stream, { outputs });
        else if (isWhole) latest.load(outputs.latest(stream));
        if (isPutOff || !isWhole) includeLast(outputs, stream);
      }
      // Last, as the time of all others tells which of them are over for long.
      loadEvents(outputs);
      if (stored === undefined) return;
      sweepEvents(lastAt);
      for (const { key, record } of latest.all('events')) {
        if (record.phase !== 'closed') latest.load([outputs.get('predictions', key) ?? []].flat());
      }
    },
  };

  function include({ seq, at }: Pick<Output, 'seq' | 'at'>): void {
    if (seq <= lastSeq) return;
    lastSeq = seq;
    lastAt = at;
  }

  /** Of a stream that is not read as a whole. */
  function includeLast(outputs: Outputs, stream: StreamName): void {
    for (const { json } of outputs.readBack(stream, outputs.upTo)) {
      // A row holds the JSON of an output.
      include(JSON.parse(json) as Output);
      return;
    }
  }

  return latest;
}
