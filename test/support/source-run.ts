import type { Subscription } from 'rxjs';
import type { Source, SourceContext, SourceLookups } from '../../src/sources/source.ts';
import type { EventRecord, Fact } from '../../streams/internal.ts';
import { openScriptedServer, type ScriptedServer } from './scripted-server.ts';

/** Lookups in a fake log. Delivered facts are added to it as an engine would add them. */
export interface FakeLookups extends SourceLookups {
  readonly posts: Map<string, { id: string; createdAt: number; isGone: boolean }>;
  readonly records: Map<number, EventRecord>;
  covered: number | undefined;
  /** From when on the timeline was read. */
  timeline: number | undefined;
}

export function fakeLookups(covered?: number): FakeLookups {
  const posts: FakeLookups['posts'] = new Map();
  const records = new Map<number, EventRecord>();
  const newestFirst = () => [...posts.values()].sort((a, b) => b.createdAt - a.createdAt);
  return {
    posts,
    records,
    covered,
    timeline: undefined,
    newestPostId: () => newestFirst()[0]?.id,
    livePosts: (_, sinceMs) =>
      newestFirst().filter(({ createdAt, isGone }) => !isGone && createdAt >= sinceMs),
    hasPost: (id) => posts.has(id),
    coveredFrom() {
      return this.covered;
    },
    timelineFrom() {
      return this.timeline;
    },
    events: () => [...records.values()],
    event: (eventId) => records.get(eventId),
  };
}

export interface SourceRun {
  readonly context: SourceContext;
  /** One entry per delivery. */
  readonly deliveries: (readonly Fact[])[];
  readonly refusals: string[];
  readonly lookups: FakeLookups;
  /** What ended the run, if anything did. */
  readonly error: () => unknown;
  readonly facts: () => readonly Fact[];
  stop(): void;
}

/** A context that collects, with a clock that stands still at `now` unless moved. */
export function collect(lookups: FakeLookups, now: () => number) {
  const deliveries: (readonly Fact[])[] = [];
  const refusals: string[] = [];
  const context: SourceContext = {
    now,
    lookups,
    deliver: async (facts) => {
      deliveries.push(facts);
      for (const fact of facts) remember(lookups, fact);
    },
    refused: (reason) => refusals.push(reason),
  };
  return { context, deliveries, refusals };
}

export function runSource(source: Source, lookups = fakeLookups(0), now: () => number = Date.now): SourceRun {
  const { context, deliveries, refusals } = collect(lookups, now);
  let error: unknown;
  const subscription: Subscription = source.run(context).subscribe({
    error: (cause: unknown) => {
      error = cause;
    },
  });
  return {
    context,
    deliveries,
    refusals,
    lookups,
    error: () => error,
    facts: () => deliveries.flat(),
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

function remember(lookups: FakeLookups, fact: Fact): void {
  if (fact.kind === 'post') {
    lookups.posts.set(fact.id, { id: fact.id, createdAt: fact.createdAt, isGone: false });
  } else if (fact.kind === 'post_gone') {
    const post = lookups.posts.get(fact.id);
    if (post !== undefined) post.isGone = true;
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
