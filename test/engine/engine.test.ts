import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { NEVER, Observable } from 'rxjs';
import { type EngineReport, openEngine } from '../../src/engine/engine.ts';
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

/** Earlier than the platform no post can be, and none that cannot be is looked up. */
const NOW = Date.UTC(2026, 3, 9, 12);

/** An engine whose sources are what the test makes them; it stops when the test is over. */
function stage(store = createMemoryStore(), now = 1_000_000) {
  const latest = createLatest();
  const reports: EngineReport[] = [];
  const clock = manualClock(now);
  const open = (...sources: readonly Source[]) =>
    openEngine({
      store,
      latest,
      clock,
      random: () => 0,
      sources,
      settings: settings(),
      agreedNow: clock.wall,
      retentionDays: 90,
      checkpointMs: 3_600_000,
      disk: async () => ({ usedBytes: 30, freeBytes: 70, usedShare: 0.3 }),
      report: (report) => reports.push(report),
    });
  return { store, latest, reports, clock, open };
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
