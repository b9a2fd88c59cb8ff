import type { Subscription } from 'rxjs';
import type {
  ApiUse,
  FollowedValue,
  KnownPost,
  Source,
  SourceContext,
  SourceLookups,
} from '../../src/sources/source.ts';
import type { EventRecord, Fact } from '../../streams/internal.ts';
import { openScriptedServer, type ScriptedServer } from './scripted-server.ts';

/** Lookups in a fake log. Delivered facts are added to it as an engine would add them. */
export interface FakeLookups extends SourceLookups {
  readonly posts: Map<string, KnownPost>;
  readonly records: Map<number, EventRecord>;
  covered: number | undefined;
  /** From when on the timeline was read. */
  timeline: number | undefined;
  /** What the oracle counts, by event. */
  readonly totals: Map<number, { readonly total: number; readonly known: number }>;
  /** Counted posts, by event. */
  readonly counts: Map<number, number>;
  /** The tokens that the log has a price of. */
  readonly priced: Set<string>;
  /** Tokens whose last price is out of a book. */
  readonly booked: Set<string>;
}

export function fakeLookups(covered?: number): FakeLookups {
  const posts: FakeLookups['posts'] = new Map();
  const records = new Map<number, EventRecord>();
  const counts = new Map<number, number>();
  const priced = new Set<string>();
  const booked = new Set<string>();
  const newestFirst = () => [...posts.values()].sort((a, b) => b.createdAt - a.createdAt);
  return {
    posts,
    records,
    covered,
    timeline: undefined,
    totals: new Map(),
    counts,
    priced,
    booked,
    hasPrice: (token) => priced.has(token),
    hasBook: (token) => booked.has(token),
    hasTotal: () => false,
    hasUiCount: () => false,
    newestOnTimeline: (_, beforeMs = Number.POSITIVE_INFINITY) =>
      newestFirst().find(({ via, createdAt }) => via === 'timeline' && createdAt < beforeMs)?.id,
    livePosts: (_, sinceMs) =>
      newestFirst().filter(({ createdAt, deletedAt }) => deletedAt === null && createdAt >= sinceMs),
    post: (id) => posts.get(id),
    coveredFrom() {
      return this.covered;
    },
    timelineFrom() {
      return this.timeline;
    },
    events: () => [...records.values()],
    event: (eventId) => records.get(eventId),
    unsettledEvents: (account) =>
      [...records.values()].filter(
        ({ phase, subject }) =>
          phase !== 'closed' &&
          (account === undefined || (subject.type === 'posts' && subject.account === account)),
      ),
    realCount: (eventId) => counts.get(eventId) ?? null,
    oracleCount(eventId) {
      return this.totals.get(eventId);
    },
  };
}

/** A counted post that the timeline has shown. */
export function knownPost(id: string, createdAt: number, more: Partial<KnownPost> = {}): KnownPost {
  return {
    id,
    createdAt,
    isReply: false,
    isCounted: true,
    via: 'timeline',
    oracleAt: null,
    deletedAt: null,
    ...more,
  };
}

export interface SourceRun {
  readonly context: SourceContext;
  /** One entry per delivery. */
  readonly deliveries: (readonly Fact[])[];
  /** Up to when each delivery shows the outside world: undefined for the present. */
  readonly knownAts: (number | null | undefined)[];
  /** When each value was last answered. */
  readonly answeredAt: Map<string, number>;
  /** The names of the values followed at last, and the values. */
  readonly followed: () => readonly string[];
  readonly followedValues: () => readonly FollowedValue[];
  readonly refusals: string[];
  readonly uses: ApiUse[];
  readonly lookups: FakeLookups;
  /** What ended the run, if anything did. */
  readonly error: () => unknown;
  readonly facts: () => readonly Fact[];
  stop(): void;
}

/** A context that collects, with a clock that stands still at `now` unless moved. */
export function collect(lookups: FakeLookups, now: () => number, mono = () => performance.now()) {
  const deliveries: (readonly Fact[])[] = [];
  const knownAts: (number | null | undefined)[] = [];
  const refusals: string[] = [];
  const uses: ApiUse[] = [];
  const answeredAt = new Map<string, number>();
  let followedValues: () => readonly FollowedValue[] = () => [];
  const context: SourceContext = {
    now,
    mono,
    lookups,
    follow: (values) => {
      followedValues = values;
    },
    deliver: async (facts, knownAt, values = {}) => {
      deliveries.push(facts);
      knownAts.push(knownAt);
      for (const [value, at] of Object.entries(values)) answeredAt.set(value, at);
      for (const fact of facts) remember(lookups, fact, now());
    },
    refused: (reason) => refusals.push(reason),
    used: (use) => uses.push(use),
  };
  const followed = () => [...new Set(followedValues().map(({ value, name = value }) => name))];
  return {
    context,
    deliveries,
    knownAts,
    answeredAt,
    followed,
    followedValues: () => followedValues(),
    refusals,
    uses,
  };
}

export function runSource(
  source: Source,
  lookups = fakeLookups(0),
  now: () => number = Date.now,
  mono?: () => number,
): SourceRun {
  const collected = collect(lookups, now, mono);
  let error: unknown;
  const subscription: Subscription = source.run(collected.context).subscribe({
    error: (cause: unknown) => {
      error = cause;
    },
  });
  return {
    ...collected,
    lookups,
    error: () => error,
    facts: () => collected.deliveries.flat(),
    stop: () => subscription.unsubscribe(),
  };
}

/** What a `describe` block of a source needs: a scripted server for each test, and runs that end with it. */
export interface SourceStage {
  readonly server: ScriptedServer;
  readonly run: typeof runSource;
}

export function sourceStage(prepare: (server: ScriptedServer) => void = () => {}): SourceStage {
  let server: ScriptedServer;
  let runs: SourceRun[] = [];
  beforeEach(async () => {
    server = await openScriptedServer();
    prepare(server);
  });
  afterEach(async () => {
    for (const run of runs) run.stop();
    runs = [];
    await server.close();
  });
  return {
    get server() {
      return server;
    },
    run(...args) {
      const run = runSource(...args);
      runs.push(run);
      return run;
    },
  };
}

function remember(lookups: FakeLookups, fact: Fact, now: number): void {
  if (fact.kind === 'post') {
    const known = lookups.posts.get(fact.id);
    const isListed = fact.via === 'list' || fact.via === 'archive';
    lookups.posts.set(fact.id, {
      ...knownPost(fact.id, fact.createdAt),
      isReply: known?.isReply ?? fact.isReply,
      via: isListed ? (known?.via ?? 'oracle_list') : 'timeline',
      oracleAt: known?.oracleAt ?? (isListed ? (fact.importedAt ?? now) : null),
      deletedAt: known?.deletedAt ?? null,
    });
  } else if (fact.kind === 'post_gone') {
    const post = lookups.posts.get(fact.id);
    if (post !== undefined) lookups.posts.set(fact.id, { ...post, deletedAt: now });
  } else if (fact.kind === 'prices') {
    for (const { token } of fact.quotes) lookups.priced.add(token);
  } else if (fact.kind === 'coverage') {
    lookups.covered = fact.fromAt;
  } else if (fact.kind === 'history') {
    if (fact.reading === 'timeline' && fact.isDone) lookups.timeline = fact.fromAt;
  } else if (fact.kind === 'event') {
    const { kind: _, isClosed, ...event } = fact;
    const phase = isClosed ? 'closed' : 'upcoming';
    lookups.records.set(fact.eventId, { ...event, phase, trackingId: null, isPartition: true });
  }
}
