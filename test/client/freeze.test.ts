import assert from 'node:assert/strict';
import { createClient, type FeedStatus } from '../../src/client/node.ts';
import type { StoredFrames } from '../../src/store/store.ts';
import { type FeedServer, startFeed } from '../feed/feed-server.ts';
import { eventually } from '../support/eventually.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { openCuttingProxy } from '../sweeps/cutting-proxy.ts';

const NOTICED_WITHIN_MS = 3_000;

/** A server whose clock goes on by itself, and which ticks each second until it is frozen. */
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
  let postsAgeMs: number | undefined;
  const ticking = setInterval(() => {
    if (isGraphFrozen) return;
    if (postsAgeMs !== undefined) postsAgeMs += 1_000;
    void server.tick({ 'posts:a': postsAgeMs ?? 300 + Math.round(Math.random() * 400), 'archive:a': 1e6 });
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
      postsAgeMs = 500;
    },
    thaw() {
      isGraphFrozen = false;
      postsAgeMs = undefined;
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

/** What the reader is told of it, after how long, and whether it is live again afterwards. */
async function suffer(
  freeze: Freeze,
): Promise<{ readonly status: FeedStatus | undefined; readonly ms: number }> {
  const stage = await openStage();
  try {
    const isLive = () => stage.statuses.at(-1)?.state === 'live';
    // Long enough that the rhythm of the source is known.
    await eventually('it is live', () => isLive() && stage.server.latest.seq >= 5, 15_000);
    const frozenAt = performance.now();
    stage[freeze]();
    await eventually('it is noticed', () => !isLive(), 10_000);
    const found = { status: stage.statuses.at(-1), ms: performance.now() - frozenAt };
    stage.thaw();
    await eventually('it is live again', isLive, 10_000);
    return found;
  } finally {
    await stage.close();
  }
}

describe('a reader of a feed in which something stands still', function () {
  this.timeout(60_000);
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
  const found = new Map<Freeze, ReturnType<typeof suffer>>();
  // All at once, as it takes seconds of real time.
  before(() => {
    for (const freeze of Object.keys(expected) as Freeze[]) {
      const suffering = suffer(freeze);
      suffering.catch(() => undefined);
      found.set(freeze, suffering);
    }
  });

  for (const freeze of Object.keys(expected) as Freeze[]) {
    it(`notices within 3 s that it is ${names[freeze]}, and when it goes on`, async () => {
      const result = await found.get(freeze);
      assert.deepEqual(result?.status, expected[freeze]);
      assert.ok((result?.ms ?? Infinity) < NOTICED_WITHIN_MS, `${result?.ms} ms`);
    });
  }
});
