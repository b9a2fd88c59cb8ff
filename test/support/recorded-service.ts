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
import { createMemoryStore } from './memory-store/memory-store.ts';

/**
 * The service over a log that was recorded before: all that a recorded run knows of the inside. Whatever depends on
 * the machine is held still here, so that one log is answered with the same bytes each time.
 */

export type { Observation };

/** One that may ask five times an hour, so that the refusal of a sixth is seen too. */
export const TIGHT_KEY = 'recorded_tight';
/** Holds something of every active event; any other wallet holds nothing. */
export const HOLDING_WALLET_START = '0xaa';

export interface RecordedService {
  readonly url: string;
  /** Names the numbers of the feed, and is another one at every run. */
  readonly feedEpoch: string;
  /** Where each topic of the feed is, by name. */
  readonly told: ReadonlyMap<string, number>;
  /** Errors that were reported and belong to no request. */
  readonly failures: readonly unknown[];
  /** One turn of the engine; resolves once all that came of it was given to the sockets of readers. */
  turn(observations: readonly Observation[]): Promise<void>;
  /** Writes what requests were recorded since the last time. */
  flushUsage(): Promise<void>;
  stop(): Promise<void>;
}

export interface RecordedServiceOptions {
  readonly store: 'lmdb' | 'memory';
  /** The first of the log, which tell of the accounts and the limits of ages. */
  readonly settings: Observation;
}

/** Enough that nobody meets a limit by asking much. */
const LIMITS = { FREE: 100_000, PRO: 1_000_000, INTERNAL: null };
/** Each request takes this long, however long it took: sums of it are served. */
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
  const latest = createLatest();
  const timers = createTimers(now);

  const said: Output[] = [];
  const observation = new Subject<Observation>();
  graph(observation, emptyState()).subscribe((output) => said.push(output));
  // Before everyone else, as the engine does it. What was simulated is in the log.
  latest.change$.subscribe((outputs) => {
    for (const { stream, key } of outputs) if (stream === 'requests') latest.remove(stream, key);
  });

  const usage = createUsageTracking({ store: store.usage, now, retentionDays: 90, report });
  const accounts = settings.accounts.map(({ id }) => ({ id, segment: `account_${id}` }));
  const gate = createGate({ keys: joinLookups(demoKeys(), tightKey()), limits: LIMITS, now });
  const { staleAfterMs } = settings;
  const shutdown = createShutdown();
  const operations = openOperations(
    { latest, accounts, now, metrics: createMetrics(), store: () => 'open' },
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
    limits: { connections: 12_000, perAddress: 1_000, perKey: 1_000, connectsPerMinute: 1_000_000 },
    staleAfterMs,
    now,
    mono: now,
    headers: API_HEADERS,
    answerTo: (error) => refusal(error) ?? internalError(),
    // Nothing is to happen because time of this machine passes.
    times: {
      subscribeMs: NEVER_MS,
      pingMs: NEVER_MS,
      checkKeyMs: NEVER_MS,
      sweepMs: NEVER_MS,
      closeMs: 2_000,
    },
    report,
  });
  const http = createHttpServer(app, HTTP_LIMITS, feed);
  const url = await http.listen(0, '127.0.0.1');

  return {
    url,
    feedEpoch: feed.epoch,
    told: window.told,
    failures,

    async turn(observations) {
      const last = observations.at(-1);
      if (last === undefined) return;
      const { seq, receivedAt: at } = last;
      clock.now = at;
      await timers.run();
      await store.journal.append(observations);
      said.length = 0;
      for (const each of observations) observation.next(each);
      const spoken = said.slice();
      if (spoken.some(({ stream }) => isKept(stream))) await store.outputs.append(spoken, seq);
      timers.hold(() => latest.apply(spoken, seq, at));
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

/** Knows how far the feed is, and whether something of it is still on its way to the disk. */
function watchWindow(window: StoredFrames) {
  const told = new Map<string, number>();
  let writing = 0;
  const watched: StoredFrames = {
    ...window,
    async append(batch) {
      writing += 1;
      try {
        await window.append(batch);
        for (const { topic, seq } of batch.topics) told.set(topic, seq);
      } finally {
        writing -= 1;
      }
    },
  };
  return { watched, told, isWriting: () => writing > 0 };
}

interface Timer {
  readonly dueAt: number;
  readonly callback: () => void;
  readonly handle: NodeJS.Timeout;
}

/**
 * What is put off when outputs are published comes when the log is that far, and not when this machine is. How often
 * such work was done shows in the tag of an answer.
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
