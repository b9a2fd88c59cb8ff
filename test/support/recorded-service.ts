import { cpSync, lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { Subject } from 'rxjs';
import { proxiesOf } from '../../src/access/client-address.ts';
import { createGate } from '../../src/access/gate.ts';
import { demoKeys, joinLookups, type KeyLookup } from '../../src/access/keys/key-lookup.ts';
import { createUsageTracking } from '../../src/access/usage/tracking.ts';
import { openFeed } from '../../src/feed/feed.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { createApp } from '../../src/server/app.ts';
import { internalError, refusal } from '../../src/server/error-answer.ts';
import { API_HEADERS } from '../../src/server/headers.ts';
import { createHttpServer, HTTP_LIMITS } from '../../src/server/http.ts';
import { openOperations } from '../../src/service/operations.ts';
import { createShutdown } from '../../src/service/shutdown.ts';
import type { Position } from '../../src/sources/positions/position.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import type { StoredFrames } from '../../src/store/ports/frames.ts';
import { createLatest, type Latest } from '../../src/views/latest.ts';
import { openPast } from '../../src/views/past.ts';
import { emptyState, graph, isKept, type Observation, type Output } from '../../streams/internal.ts';
import { accountPath } from './accounts.ts';
import { createMemoryStore } from './memory-store/memory-store.ts';

/**
 * The service over a recorded log: the only part of a recorded run that knows its internals. Everything that depends on
 * the machine is fixed here, so that one log always gives the same bytes.
 */

export type { Observation };

/** A key with five requests per hour, so that refusals are recorded too. */
export const TIGHT_KEY = 'recorded_tight';
/** Holds something of every active event; any other wallet holds nothing. */
export const HOLDING_WALLET_START = '0xaa';

export interface RecordedService {
  readonly url: string;
  /** The epoch of the feed's frame numbers; each run has another. */
  readonly feedEpoch: string;
  /** The last seq of each topic of the feed, by name. */
  readonly topicSeqs: ReadonlyMap<string, number>;
  /** Errors that were reported and belong to no request. */
  readonly failures: readonly unknown[];
  /** One turn of the engine; resolves once all its frames were given to the readers' sockets. */
  turn(observations: readonly Observation[]): Promise<void>;
  /** Writes what requests were recorded since the last time. */
  flushUsage(): Promise<void>;
  stop(): Promise<void>;
}

export interface RecordedServiceOptions {
  readonly store: 'lmdb' | 'memory';
  /** The first observation of the log, with the accounts and the limits of ages. */
  readonly settings: Observation;
}

/** So high that no caller reaches them. */
const LIMITS = { FREE: 100_000, PRO: 1_000_000, INTERNAL: null };
/** The time recorded for every request, since its sums are served. */
const REQUEST_MS = 1.25;
const NEVER_MS = 1_000_000_000;
/** More than the steps of any work that goes on between other work. */
const LOOPS = 128;

/** Reads a log from a copy of a data folder, which is left as it is. */
export async function readLog(folder: string, most: number): Promise<Observation[]> {
  const copy = mkdtempSync(join(tmpdir(), 'recorded-log-'));
  try {
    // A running service has its sockets in the folder.
    cpSync(folder, copy, {
      recursive: true,
      filter: (path) => lstatSync(path).isFile() || lstatSync(path).isDirectory(),
    });
    const store = await openStore(copy);
    try {
      if (store.journal.tail > 1)
        throw new RangeError(`the log begins at ${store.journal.tail}, expected all of it`);
      const observations: Observation[] = [];
      for (const observation of store.journal.read(1)) {
        if (observations.length === most) break;
        observations.push(observation);
      }
      return observations;
    } finally {
      await store.close();
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

export async function openRecordedService({
  store: kind,
  settings: { fact: settings, receivedAt },
}: RecordedServiceOptions): Promise<RecordedService> {
  if (settings.kind !== 'settings') throw new TypeError(`a log begins with settings, was ${settings.kind}`);
  const folder = kind === 'lmdb' ? mkdtempSync(join(tmpdir(), 'recorded-run-')) : undefined;
  const store = folder === undefined ? createMemoryStore() : await openStore(folder);
  const failures: unknown[] = [];
  const report = (error: unknown) => void failures.push(error);
  const clock = { now: receivedAt };
  const now = () => clock.now;
  const latest = createLatest(store.outputs);
  const timers = createTimers(now);

  const outputs: Output[] = [];
  const observation = new Subject<Observation>();
  graph(observation, emptyState()).subscribe((output) => outputs.push(output));

  const usage = createUsageTracking({ store: store.usage, now, retentionDays: 90, report });
  const accounts = settings.accounts.map(({ id }) => ({
    ...accountPath(id, { isBuyOnly: false }),
    staleAfterMs: settings.staleAfterMs,
  }));
  const gate = createGate({ keys: joinLookups(demoKeys(), tightKey()), limits: LIMITS, now });
  const { staleAfterMs } = settings;
  const shutdown = createShutdown();
  const operations = openOperations(
    {
      latest,
      accounts,
      now,
      metrics: createMetrics(),
      sources: () => [],
      store: () => 'open',
      writesHeldMs: () => 0,
    },
    shutdown,
  );
  const app = createApp({
    latest,
    past: openPast(store, latest),
    accounts,
    gate,
    recorder: {
      record: (endpoint, method, status, _ms, ...rest) =>
        usage.record(endpoint, method, status, REQUEST_MS, ...rest),
    },
    usage,
    waitlist: store.waitlist,
    operations,
    now,
    staleAfterMs,
    epoch: 'recorded',
    isDemo: true,
    positions: { of: async (wallet) => holdings(latest, wallet) },
  });
  app.on('error', report);

  const window = watchWindow(store.feed);
  const feed = openFeed({
    latest,
    window: window.watched,
    outputs: store.outputs,
    accounts,
    gate,
    proxies: proxiesOf([]),
    limits: {
      connections: 12_000,
      perAddress: 1_000,
      perKey: 1_000,
      connectsPerMinute: 1_000_000,
      replayBytesPerMinute: Number.MAX_SAFE_INTEGER,
    },
    staleAfterMs,
    now,
    mono: now,
    headers: API_HEADERS,
    answerTo: (error) => refusal(error) ?? internalError(),
    // Nothing may happen by the clock of this machine.
    times: {
      subscribeMs: NEVER_MS,
      pingMs: NEVER_MS,
      checkKeyMs: NEVER_MS,
      sweepMs: NEVER_MS,
      closeMs: 2_000,
    },
    report,
  });
  const http = createHttpServer(app, HTTP_LIMITS, () => feed);
  const url = await http.listen(0, '127.0.0.1');

  return {
    url,
    feedEpoch: feed.epoch,
    topicSeqs: window.topicSeqs,
    failures,

    async turn(observations) {
      const last = observations.at(-1);
      if (last === undefined) return;
      const { seq, receivedAt: at } = last;
      clock.now = at;
      await timers.run();
      await store.journal.append(observations);
      outputs.length = 0;
      for (const each of observations) observation.next(each);
      // Requests to the simulators are no values, and what they said is in the log.
      const turnOutputs = outputs.filter(({ stream }) => stream !== 'requests');
      if (turnOutputs.some(({ stream }) => isKept(stream))) await store.outputs.append(turnOutputs, seq);
      timers.hold(() => latest.apply(turnOutputs, seq, at));
      do await nextLoop();
      while (window.isWriting() || feed.figures().unsentBytes > 0);
    },

    flushUsage: () => usage.flush(),

    async stop() {
      await http.drain({ noticeMs: 0, deadlineMs: 0 });
      await feed.close();
      await shutdown.run();
      await store.close();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function tightKey(): KeyLookup {
  const holder = { id: 'recorded-tight', tier: 'PRO', limit: 5, lastUsedAt: null } as const;
  const own = { ...holder };
  return { find: (key) => (key === TIGHT_KEY ? own : undefined) };
}

/** Follows the feed's seqs, and whether frames are still being written. */
function watchWindow(window: StoredFrames) {
  const topicSeqs = new Map<string, number>();
  let writing = 0;
  const watched: StoredFrames = {
    ...window,
    async append(batch) {
      writing += 1;
      try {
        await window.append(batch);
        for (const { topic, seq } of batch.topics) topicSeqs.set(topic, seq);
      } finally {
        writing -= 1;
      }
    },
  };
  return { watched, topicSeqs, isWriting: () => writing > 0 };
}

interface Timer {
  readonly dueAt: number;
  readonly callback: () => void;
  readonly handle: NodeJS.Timeout;
}

/**
 * Timers that are set while outputs are published fire by the time of the log instead of this machine's, since the number
 * of such runs shows in ETags.
 */
function createTimers(now: () => number) {
  const real = globalThis.setTimeout;
  let waiting: Timer[] = [];
  const held = (callback: () => void, ms: number) => {
    const handle = real(() => undefined, NEVER_MS);
    waiting.push({ dueAt: now() + ms, callback, handle });
    return handle;
  };
  return {
    hold(publish: () => void) {
      Reflect.set(globalThis, 'setTimeout', held);
      try {
        publish();
      } finally {
        Reflect.set(globalThis, 'setTimeout', real);
      }
    },
    async run() {
      const due = waiting.filter(({ dueAt }) => dueAt <= now());
      if (due.length === 0) return;
      waiting = waiting.filter(({ dueAt }) => dueAt > now());
      for (const { callback, handle } of due) {
        clearTimeout(handle);
        callback();
      }
      for (let loop = 0; loop < LOOPS; loop++) await nextLoop();
    },
  };
}

/** Something of every bucket of every active event: Yes and No in turn, and of some buckets both. */
function holdings(latest: Latest, wallet: string): readonly Position[] {
  if (!wallet.toLowerCase().startsWith(HOLDING_WALLET_START)) return [];
  const events = Array.from(latest.all('events')).filter(({ record }) => record.phase === 'active');
  return events
    .sort((a, b) => a.record.eventId - b.record.eventId)
    .flatMap(({ record: { eventId, slug, buckets } }) =>
      buckets.flatMap((bucket, index) => {
        const outcomes = index % 5 === 0 ? ['Yes', 'No'] : [index % 2 === 0 ? 'Yes' : 'No'];
        return outcomes.map((outcome): Position => {
          const isYes = outcome === 'Yes';
          const size = 10 + 7 * index;
          const avgPrice = isYes ? 0.11 : 0.83;
          const currentPrice = isYes ? 0.14 : 0.79;
          return {
            wallet,
            token: isYes ? bucket.yesToken : bucket.noToken,
            oppositeToken: isYes ? bucket.noToken : bucket.yesToken,
            conditionId: bucket.conditionId,
            eventId,
            eventSlug: slug,
            marketSlug: bucket.marketSlug,
            outcome,
            size,
            avgPrice,
            costBasis: size * avgPrice,
            currentPrice,
            currentValue: size * currentPrice,
            isRedeemable: false,
            isMergeable: index % 5 === 0,
          };
        });
      }),
    );
}
