import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { NEVER, Observable } from 'rxjs';
import { beginEngine, type EngineReport, openEngine } from '../../src/engine/engine.ts';
import { StoreError } from '../../src/errors.ts';
import { verify } from '../../src/research/verify.ts';
import type { Source, SourceContext } from '../../src/sources/source.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { createLatest, type Latest } from '../../src/views/latest.ts';
import { DAY_MS, GRAPH_VERSION, USUAL_RULE } from '../../streams/internal.ts';
import { manualClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { event, partition, post, settings } from '../support/facts.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { postIdAt } from '../support/payloads.ts';
import { takeIntervals } from '../support/virtual-intervals.ts';

/** Earlier than the platform no post can be, and none that cannot be is looked up. */
const NOW = Date.UTC(2026, 3, 9, 12);

/** An engine whose sources are what the test makes them; it stops when the test is over. */
function stage(store = createMemoryStore(), now = 1_000_000) {
  const latest = createLatest();
  const reports: EngineReport[] = [];
  const clock = manualClock(now);
  const begin = (...sources: readonly Source[]) =>
    beginEngine({
      store,
      latest,
      clock,
      random: () => 0,
      sources,
      settings: settings(),
      agreedNow: clock.wall,
      retentionDays: 90,
      checkpointMs: 300_000,
      disk: async () => ({ usedBytes: 30, freeBytes: 70, usedShare: 0.3 }),
      report: (report) => reports.push(report),
    });
  const open = async (...sources: readonly Source[]) => (await begin(...sources)).opened;
  return { store, latest, reports, clock, begin, open };
}

function source(name: string, run: Source['run']): Source {
  return { name, silentAfterMs: 60_000, run };
}

/** An engine with one source, which does what the test does with its context. */
async function openWithPosts(open: ReturnType<typeof stage>['open']) {
  const contexts: SourceContext[] = [];
  const engine = await open(
    source('posts:a', (given) => {
      contexts.push(given);
      return NEVER;
    }),
  );
  const [context] = contexts;
  assert.ok(context);
  return { engine, context };
}

const factsOf = (store: ReturnType<typeof createMemoryStore>) =>
  Array.from(store.journal.read(1), ({ fact }) => fact.kind);

describe('openEngine', () => {
  it('logs its settings and the time at every start', async () => {
    const { store, open } = stage();
    await (await open()).stop();
    await (await open()).stop();
    assert.deepEqual(factsOf(store), ['settings', 'tick', 'settings', 'tick']);
  });

  it('hands a source its lookups, takes its facts and marks its age', async () => {
    const { latest, open } = stage(createMemoryStore(), NOW);
    const { engine, context } = await openWithPosts(open);
    await context.deliver([
      post({ id: '7', createdAt: NOW - 100_000 }),
      { kind: 'coverage', account: 'a', fromAt: 5 },
    ]);
    await context.deliver([event({ eventId: 3 })]);
    assert.equal(context.lookups.newestOnTimeline('a'), '7');
    assert.equal(context.lookups.post('7')?.createdAt, NOW - 100_000);
    assert.equal(context.lookups.post('8'), undefined);
    assert.equal(context.lookups.coveredFrom('a'), 5);
    assert.equal(context.lookups.coveredFrom('b'), undefined);
    assert.equal(context.lookups.event(3)?.eventId, 3);
    assert.deepEqual(
      context.lookups.livePosts('a', NOW - 100_000).map(({ id, via }) => [id, via]),
      [['7', 'timeline']],
    );
    assert.deepEqual(context.lookups.livePosts('a', NOW - 99_999), []);
    await eventually(
      'a tick carries the age',
      () => latest.get('freshness', 'all')?.record.ages['posts:a'] === 0,
    );
    await engine.stop();
  });

  it('looks up what the timeline has shown apart from what only the oracle’s list has', async () => {
    const { open } = stage(createMemoryStore(), NOW);
    const { engine, context } = await openWithPosts(open);
    const { lookups } = context;
    await context.deliver([
      post({ id: '7', createdAt: NOW - 100_000 }),
      post({ id: '8', createdAt: NOW - 90_000 }),
      post({ id: '9', createdAt: NOW - 80_000, via: 'list', isReply: null, importedAt: NOW - 70_000 }),
      { kind: 'post_gone', account: 'a', id: '8' },
    ]);
    assert.deepEqual(
      [
        lookups.newestOnTimeline('a'),
        lookups.newestOnTimeline('a', NOW - 90_000),
        lookups.newestOnTimeline('b'),
      ],
      ['8', '7', undefined],
    );
    assert.deepEqual(
      lookups.livePosts('a', 0).map(({ id, oracleAt }) => [id, oracleAt]),
      [
        ['9', NOW - 70_000],
        ['7', null],
      ],
    );
    await engine.stop();
  });

  it('gives a source the age of what it knows, and leaves it where an answer does not tell', async () => {
    const { latest, open } = stage();
    const { engine, context } = await openWithPosts(open);
    const ageIs = (ageMs: number) =>
      eventually(
        `the age is ${ageMs}`,
        () => latest.get('freshness', 'all')?.record.ages['posts:a'] === ageMs,
      );
    await context.deliver([], context.now() - 200_000);
    await ageIs(200_000);
    await context.deliver([post({ id: '7', createdAt: 900_000 })], null);
    assert.equal(context.lookups.post('7')?.id, '7');
    await ageIs(200_000);
    await context.deliver([], context.now() + 5_000);
    await ageIs(0);
    await engine.stop();
  });

  it('counts the time for which the disk held up an answer to its age', async () => {
    const { store, clock, latest, open } = stage();
    const { append } = store.journal;
    let release = () => {};
    const { engine, context } = await openWithPosts(open);
    await eventually('the first turn is shown', () => latest.seq === 2);
    // It is over when all that it has left to do is done.
    await nextLoop();
    store.journal.append = async (observations) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      store.journal.append = append;
      await append(observations);
    };
    const delivered = context.deliver([post({ id: '7', createdAt: 900_000 })]);
    clock.advance(70_000);
    release();
    await delivered;
    await eventually(
      'a tick carries the age',
      () => latest.get('freshness', 'all')?.record.ages['posts:a'] === 70_000,
    );
    await engine.stop();
  });

  it('has the requests of the streams simulated, logs the answers and publishes no request', async () => {
    const { store, latest, open } = stage();
    const { engine, context } = await openWithPosts(open);
    await context.deliver([
      event({ eventId: 3, buckets: partition(3) }),
      { kind: 'coverage', account: 'a', fromAt: 0 },
      post({ id: '7', createdAt: 900_000 }),
    ]);
    await eventually('a forecast is published', () => latest.get('predictions', '3') !== undefined);
    const { count = 0, p5 = 0, p50 = 0 } = latest.get('predictions', '3')?.record ?? {};
    assert.ok(count === 1 && count <= p5 && p5 < p50);
    assert.ok(factsOf(store).includes('forecast'));
    assert.deepEqual(Array.from(latest.all('requests')), []);
    await engine.stop();
  });

  it('continues when a source fails, and shows its status', async () => {
    const { open } = stage();
    let starts = 0;
    const failing = source('ui:a', () => {
      starts += 1;
      return new Observable((subscriber) => subscriber.error(new TypeError('a bug of ours')));
    });
    const engine = await open(
      failing,
      source('events', () => NEVER),
    );
    assert.deepEqual(
      engine.sources().map(({ name, state }) => [name, state]),
      [
        ['ui:a', 'waiting'],
        ['events', 'running'],
      ],
    );
    assert.equal(starts, 1);
    await engine.stop();
  });

  it('saves a checkpoint when it stops, and reads nothing again when it starts', async () => {
    const { store, open, reports } = stage();
    await (await open()).stop();
    assert.equal(store.checkpoints.newest(GRAPH_VERSION)?.seq, store.journal.head);
    await (await open()).stop();
    const recovered = reports.filter((report) => report.type === 'recovered');
    assert.deepEqual(
      recovered.map(({ replayed }) => replayed),
      [0, 0],
    );
  });

  it('saves checkpoints soon after its start, and then ever more rarely', async () => {
    const intervals = takeIntervals();
    const { clock, open, reports } = stage();
    const saved = () => reports.filter(({ type }) => type === 'checkpoint').length;
    const pass = (ms: number) => {
      clock.advance(ms);
      intervals.advance(ms);
    };
    try {
      const engine = await open();
      for (const [index, ms] of [
        5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000,
      ].entries()) {
        pass(ms - 1);
        assert.equal(saved(), index);
        pass(1);
        await eventually(`checkpoint ${index + 1}`, () => saved() > index);
      }
      await engine.stop();
    } finally {
      intervals.restore();
    }
  });

  it('saves a checkpoint at once after a start that had to read the log', async () => {
    const first = stage();
    await (await first.open()).stop();
    const { store, open, reports } = stage();
    await store.journal.append([...first.store.journal.read(1)]);
    const engine = await open();
    await eventually('a checkpoint', () => reports.some(({ type }) => type === 'checkpoint'));
    assert.ok(store.checkpoints.newest(GRAPH_VERSION));
    await engine.stop();
  });

  it('serves stored values while the disk refuses what a crash left, and runs once it takes it', async () => {
    const first = stage();
    const { engine: before, context } = await openWithPosts(first.open);
    await eventually('a tick', () => first.latest.freshness() !== undefined);
    await before.stop();
    const { store } = first;
    // Logged, and killed before anything that follows from it was stored.
    const seq = store.journal.head + 1;
    await store.journal.append([
      { seq, receivedAt: context.now(), fact: post({ id: '7', createdAt: 900_000 }) },
    ]);
    const { append } = store.outputs;
    let isRefusing = true;
    store.outputs.append = async (...given) => {
      if (isRefusing) throw new StoreError('STORE_WRITE', 'the disk does not write');
      await append(...given);
    };
    const { begin, reports, latest } = stage(store);
    const { hasValues, opened } = await begin();
    assert.equal(hasValues, true);
    await eventually('it is refused', () => reports.some(({ type }) => type === 'refused_write'));
    assert.equal(latest.posts('a').length, 0);
    isRefusing = false;
    const engine = await opened;
    assert.equal(latest.posts('a').length, 1);
    await engine.stop();
  });

  it('reports how full the disk is', async () => {
    const { open, reports } = stage();
    await (await open()).stop();
    const [disk] = reports.filter((report) => report.type === 'disk');
    assert.deepEqual(disk, { type: 'disk', storeBytes: 0, usedBytes: 30, freeBytes: 70, usedShare: 0.3 });
  });

  it('stops twice as well as once', async () => {
    const { open } = stage();
    const engine = await open();
    await engine.stop();
    await engine.stop();
  });

  describe('on a folder of earlier runs', () => {
    let folder = '';
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'tallywire-accounts-'));
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    /** One run of the engine with these accounts, each with a source of posts. */
    async function runWith(
      accounts: readonly string[],
      use: (parts: {
        contexts: ReadonlyMap<string, SourceContext>;
        latest: Latest;
        store: Store;
      }) => Promise<void>,
    ) {
      const store = await openStore(folder);
      const contexts = new Map<string, SourceContext>();
      const latest = createLatest(store.outputs);
      const clock = manualClock(NOW);
      const engine = await openEngine({
        store,
        latest,
        clock,
        random: () => 0,
        sources: accounts.map((id) =>
          source(`posts:${id}`, (context) => {
            contexts.set(id, context);
            return NEVER;
          }),
        ),
        settings: settings({ accounts: accounts.map((id) => ({ id, rule: USUAL_RULE })) }),
        agreedNow: clock.wall,
        retentionDays: 90,
        checkpointMs: 3_600_000,
        disk: async () => ({ usedBytes: 30, freeBytes: 70, usedShare: 0.3 }),
        report: () => undefined,
      });
      await use({ contexts, latest, store });
      await engine.stop();
      await store.close();
    }

    const postOf = (account: string, n: number) => {
      const createdAt = NOW - n * 60_000;
      const id = BigInt(postIdAt(createdAt)) + BigInt(account.charCodeAt(0));
      return post({ account, id: String(id), createdAt });
    };
    const agedSources = (latest: Latest) =>
      Object.keys(latest.get('freshness', 'all')?.record.ages ?? {}).join();
    const history = (account: string) => [
      ...Array.from({ length: 120 }, (_, n) => postOf(account, n + 1)),
      { kind: 'coverage', account, fromAt: NOW - 60 * DAY_MS } as const,
    ];

    it('back-fills an account that is new, and leaves the others as they were', async () => {
      let before: readonly unknown[] = [];
      const valuesOf = (latest: Latest, accounts: readonly string[]) =>
        accounts.map((id) => [[...latest.posts(id)], latest.get('velocity', id)?.record]);
      await runWith(['a', 'b'], async ({ contexts, latest }) => {
        for (const id of ['a', 'b']) await contexts.get(id)?.deliver(history(id));
        before = valuesOf(latest, ['a', 'b']);
      });
      await runWith(['a', 'b', 'c'], async ({ contexts, latest, store }) => {
        const lookups = contexts.get('c')?.lookups;
        // From this its source knows what to read.
        assert.deepEqual(
          [lookups?.coveredFrom('a'), lookups?.coveredFrom('c'), lookups?.newestOnTimeline('c')],
          [NOW - 60 * DAY_MS, undefined, undefined],
        );
        await contexts.get('c')?.deliver(history('c'));
        assert.equal(latest.posts('c').length, 120);
        assert.equal(latest.get('velocity', 'c')?.record.all1h, 59);
        assert.deepEqual(valuesOf(latest, ['a', 'b']), before);
        assert.equal((await verify(store)).difference, null);
      });
    });

    it('keeps the history of an account that is followed no more, and forgets its source', async () => {
      await runWith(['a', 'b', 'c'], async ({ contexts, latest }) => {
        for (const id of ['a', 'b', 'c']) await contexts.get(id)?.deliver(history(id));
        await eventually('their ages', () => agedSources(latest) === 'posts:a,posts:b,posts:c');
      });
      await runWith(['a', 'b'], async ({ contexts, latest, store }) => {
        await contexts.get('a')?.deliver([postOf('a', 0)]);
        await eventually('the ages of the others', () => agedSources(latest) === 'posts:a,posts:b');
        assert.equal(latest.posts('c').length, 120);
        assert.equal([...latest.posts('c')].length, 120);
        const stored = [...store.outputs.read('posts', 1)].filter(({ json }) =>
          json.includes('"account":"c"'),
        );
        assert.equal(stored.length, 120);
        assert.equal((await verify(store)).difference, null);
      });
    });
  });
});
