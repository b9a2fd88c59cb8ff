import { isDeepStrictEqual } from 'node:util';
import { createClient, type FeedStatus } from '../../src/client/node.ts';
import type { StoredFrames } from '../../src/store/store.ts';
import { type FeedServer, startFeed } from '../feed/feed-server.ts';
import { eventually } from '../support/eventually.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { openCuttingProxy } from '../sweeps/cutting-proxy.ts';

/** A server with a running clock that ticks each second until it is frozen, and a reader of it. */
interface Stage {
  readonly server: FeedServer;
  readonly statuses: readonly FeedStatus[];
  freezeGraph(): void;
  freezeFanOut(): void;
  freezeConnection(): void;
  freezeSource(): void;
  thaw(): void;
  close(): Promise<void>;
}

async function openStage(): Promise<Stage> {
  const store = createMemoryStore();
  let held: Promise<void> | undefined;
  let release: () => void = () => undefined;
  const feed: StoredFrames = {
    ...store.feed,
    append: async (batch) => {
      await held;
      await store.feed.append(batch);
    },
  };
  const server = await startFeed({ store: { ...store, feed } });
  const proxy = await openCuttingProxy();
  proxy.aim(server.url);
  const startedAt = performance.now() - server.clock.now;
  const clock = setInterval(() => {
    server.clock.now = Math.round(performance.now() - startedAt);
  }, 20);
  let isGraphFrozen = false;
  let isPostsStale = false;
  const ticking = setInterval(() => {
    if (isGraphFrozen) return;
    void server.tick({ 'posts:a': 300, 'archive:a': 1e6 }, isPostsStale ? ['posts:a'] : []);
  }, 1_000);
  const statuses: FeedStatus[] = [];
  const reader = createClient({ url: proxy.url }).feed();
  reader.status$.subscribe((status) => statuses.push(status));
  reader.test().subscribe();
  return {
    server,
    statuses,
    freezeGraph() {
      isGraphFrozen = true;
    },
    freezeFanOut() {
      held = new Promise((resolve) => {
        release = resolve;
      });
    },
    freezeConnection: () => proxy.stall(),
    freezeSource() {
      isPostsStale = true;
    },
    thaw() {
      isGraphFrozen = false;
      isPostsStale = false;
      held = undefined;
      release();
      proxy.resume();
    },
    async close() {
      clearInterval(clock);
      clearInterval(ticking);
      release();
      reader.close();
      await proxy.close();
      await server.stop();
    },
  };
}

type Freeze = 'freezeGraph' | 'freezeFanOut' | 'freezeConnection' | 'freezeSource';

/** Freezes a part of the stage until the reader has the expected status, and waits until it is live again. */
async function freezeUntil(freeze: Freeze, expected: FeedStatus): Promise<void> {
  const stage = await openStage();
  try {
    const isLive = () => stage.statuses.at(-1)?.state === 'live';
    await eventually('it is live', isLive);
    const before = stage.statuses.length;
    stage[freeze]();
    const isNoticed = () =>
      stage.statuses.slice(before).some((status) => isDeepStrictEqual(status, expected));
    await eventually(`the status ${JSON.stringify(expected)}`, isNoticed);
    stage.thaw();
    await eventually('it is live again', isLive);
  } finally {
    await stage.close();
  }
}

/** How soon a status changes is tested in virtual time, with `createLiveness`. */
const PATIENCE_MS = 60_000;

describe('a reader of a feed of which a part is frozen', function () {
  this.timeout(4 * PATIENCE_MS);
  const expected: Readonly<Record<Freeze, FeedStatus>> = {
    freezeGraph: { state: 'stale', reason: 'graph', sources: [] },
    freezeFanOut: { state: 'stale', reason: 'fan_out', sources: [] },
    freezeConnection: { state: 'stale', reason: 'connection', sources: [] },
    freezeSource: { state: 'stale', reason: 'source', sources: ['posts/account_a'] },
  };
  const names: Readonly<Record<Freeze, string>> = {
    freezeGraph: 'the streams',
    freezeFanOut: 'the fan-out',
    freezeConnection: 'the connection',
    freezeSource: 'a source',
  };
  const runs = new Map<Freeze, Promise<void>>();
  // All of them run at the same time, as each takes seconds of real time.
  before(() => {
    for (const freeze of Object.keys(expected) as Freeze[]) {
      const run = freezeUntil(freeze, expected[freeze]);
      run.catch(() => undefined);
      runs.set(freeze, run);
    }
  });

  for (const freeze of Object.keys(expected) as Freeze[]) {
    it(`notices a stop of ${names[freeze]}, and its end`, async () => {
      await runs.get(freeze);
    });
  }
});
