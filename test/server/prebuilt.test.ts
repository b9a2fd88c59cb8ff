import assert from 'node:assert/strict';
import { createPrebuilt } from '../../src/server/prebuilt.ts';
import { tagsOfProcess } from '../../src/server/tags.ts';
import {
  bucket,
  countersOutput,
  eventOutput,
  FRESH_AGES,
  freshnessOutput,
  lagOutput,
  NOON,
  timeline,
} from '../support/outputs.ts';
import { json, type Running, start } from './start.ts';

const META = '/api/v1/meta/account_a';
const CALL = { keyId: null, query: '', ifNoneMatch: undefined };

describe('createPrebuilt', () => {
  /** How often the body is built when asked for every 100 ms, from 100 ms on, with ticks at the given times. */
  function buildsUntil(
    endMs: number,
    ticksMs: readonly number[],
    tickAt = NOON,
    calendar = (ms: number) => ms,
  ): number {
    const watch = { seq: 1, revision: 0, changes: 0, tickAt };
    let builds = 0;
    let nowMs = NOON;
    const answer = createPrebuilt({
      watch,
      name: 'v',
      tagOf: tagsOfProcess('e'),
      content: () => '',
      now: () => nowMs,
      size: () => 1,
      build: () => `"data":[${++builds}]`,
    });
    for (let ms = 100; ms <= endMs; ms += 100) {
      if (ticksMs.includes(ms)) {
        watch.tickAt = NOON + ms;
        watch.revision += 1;
      }
      nowMs = NOON + calendar(ms);
      answer(CALL);
    }
    return builds;
  }

  it('builds once per tick while ticks come', () => {
    assert.equal(buildsUntil(4_900, [1_000, 2_000, 3_000, 4_000]), 5);
    assert.equal(buildsUntil(2_300, [1_000, 2_300]), 3);
  });

  it('builds once per second while none comes, and never again before the first', () => {
    assert.equal(buildsUntil(1_400, []), 1);
    assert.equal(buildsUntil(5_400, []), 5);
    assert.equal(buildsUntil(5_400, [], Number.POSITIVE_INFINITY), 1);
  });

  it('builds as often where the calendar was set back, before the tick or since the last build', () => {
    assert.equal(buildsUntil(5_600, [], NOON + 3_600_000), 4);
    const setBack = (ms: number) => (ms < 1_000 ? ms : ms - 3_600_000);
    assert.equal(buildsUntil(5_600, [], NOON, setBack), 5);
  });

  it('gives the same bytes in parts as in one piece, as many as it says', () => {
    let nowMs = NOON;
    const answer = createPrebuilt({
      watch: { seq: 1, revision: 0, changes: 0, tickAt: NOON },
      name: 'v',
      tagOf: tagsOfProcess('e'),
      content: () => '',
      now: () => nowMs,
      size: () => 1,
      build: () => '"data":["caf\u00e9 \u{1f44d}"]',
    });
    for (; nowMs < NOON + 3_000; nowMs += 700) {
      const { headers, body, parts } = answer(CALL);
      assert.ok(parts);
      const bytes = Buffer.concat([Buffer.from(parts.head, 'latin1'), parts.tail]);
      assert.equal(bytes.toString(), body);
      assert.equal(headers['Content-Length'], String(bytes.length));
      assert.deepEqual(JSON.parse(body), { timestamp: nowMs, data: ['caf\u00e9 \u{1f44d}'] });
    }
  });
});

describe('bodies while no tick comes', () => {
  let running: Running;
  const recordOf = async (path: string, headers: Record<string, string> = {}) => {
    const { data } = await json(await running.get(path, headers));
    assert.ok(Array.isArray(data));
    return data[0];
  };
  const tagOf = async () => {
    const response = await running.get(META);
    await response.arrayBuffer();
    return response.headers.get('etag') ?? '';
  };
  beforeEach(async () => {
    const crypto = { type: 'crypto', symbol: 'BTC', kind: 'RANGE', referencePrice: null } as const;
    running = await start({
      loaded: [
        eventOutput(),
        eventOutput({ eventId: 2, subject: crypto, buckets: [bucket()] }),
        countersOutput(),
        lagOutput(),
        ...timeline(20),
      ],
    });
    running.put(freshnessOutput(FRESH_AGES, { seq: 100 }));
  });
  afterEach(() => running.stop());

  const pages = [META, `${META}/lag`, '/api/v1/meta/crypto', `${META}/tweets`, `${META}/tweets?limit=2`];
  for (const path of pages) {
    it(`have ages that go on on ${path}`, async () => {
      for (const sinceMs of [0, 1_500, 2_500, 60_000]) {
        running.clock.now = NOON + sinceMs;
        const { as_of } = await recordOf(path, { 'X-API-Key': 'demo_pro' });
        assert.equal(as_of.ages_ms.prices, 900 + sinceMs);
      }
    });
  }

  it('list every input that has become late, though no record says so, under another tag', async () => {
    const steps: readonly (readonly [number, readonly string[]])[] = [
      [9_600, []],
      [10_601, ['posts']],
      [59_101, ['posts', 'prices']],
      [297_001, ['posts', 'ui', 'prices']],
      [898_001, ['posts', 'oracle', 'ui', 'prices']],
    ];
    let last = '';
    for (const [sinceMs, stale] of steps) {
      running.clock.now = NOON + sinceMs;
      assert.equal((await running.get(META, { 'If-None-Match': last || '"none"' })).status, 200);
      assert.deepEqual((await recordOf(META)).stale, stale);
      const tag = await tagOf();
      running.clock.now += 1_000;
      if (sinceMs !== 9_600) assert.equal(await tagOf(), tag);
      last = tag;
    }
  });

  it('keep what the record says is stale', async () => {
    running.put(countersOutput({ stale: ['ui'] }, { seq: 101 }));
    running.clock.now = NOON + 20_000;
    assert.deepEqual((await recordOf(META)).stale, ['posts', 'ui']);
  });

  it('list inputs that are late before the first count', async () => {
    running.put(eventOutput({ eventId: 3, endAt: NOON + 1 }, { seq: 101 }));
    running.clock.now = NOON + 20_000;
    assert.deepEqual((await recordOf(META)).stale, ['posts']);
  });
});
