import assert from 'node:assert/strict';
import type { Output } from '../../streams/internal.ts';
import {
  countersOutput,
  eventOutput,
  FRESH_AGES,
  freshnessOutput,
  lagOutput,
  NOON,
  postOutput,
  timeline,
} from '../support/outputs.ts';
import { type Running, start } from './start.ts';

const META = '/api/v1/meta/account_a';
const TWEETS = `${META}/tweets`;
const PRO = { 'X-API-Key': 'demo_pro' };
const STATE: readonly Output[] = [eventOutput(), countersOutput(), lagOutput(), ...timeline(40)];

describe('conditional GET', () => describeTags(false));
describe('conditional GET with tags that processes share', () => describeTags(true));

function describeTags(areTagsShared: boolean): void {
  let running: Running;
  const tagOf = async (path: string, headers: Record<string, string> = {}) => {
    const response = await running.get(path, headers);
    await response.arrayBuffer();
    const tag = response.headers.get('etag');
    assert.match(tag ?? '', /^W\/"[^"]+"$/);
    return tag ?? '';
  };
  const statusWith = async (path: string, ifNoneMatch: string, headers: Record<string, string> = {}) => {
    const response = await running.get(path, { 'If-None-Match': ifNoneMatch, ...headers });
    const body = await response.text();
    if (response.status === 304) assert.equal(body, '');
    return response.status;
  };
  beforeEach(async () => {
    running = await start({ loaded: STATE, deps: { areTagsShared } });
  });
  afterEach(() => running.stop());

  const PATHS = [
    META,
    TWEETS,
    '/api/v1/accounts',
    '/api/v1/meta/crypto',
    `${META}/lag`,
    '/api/v1/prediction/account_a',
    '/api/v1/history/account_a/1',
    '/api/v1/performance/overview',
    '/api/v1/performance/history',
    '/api/v1/performance/calibration',
  ];
  for (const path of PATHS) {
    it(`answers 304 on ${path} to a caller who has the state, and may be kept by that caller alone`, async () => {
      const tag = await tagOf(path);
      for (const header of [tag, `"x", ${tag}`, '*', tag.slice(2)]) {
        assert.equal(await statusWith(path, header), 304);
      }
      assert.equal(await statusWith(path, '"x"'), 200);
      for (const ifNoneMatch of [tag, '"x"']) {
        const { headers } = await running.get(path, { 'If-None-Match': ifNoneMatch });
        assert.equal(headers.get('etag'), tag);
        assert.equal(headers.get('cache-control'), 'private, no-cache');
        assert.equal(headers.get('vary'), 'X-API-Key, x402, Accept-Encoding');
      }
    });
  }

  it('keeps the tag while only the time and the ages move', async () => {
    const tag = await tagOf(META);
    running.clock.now += 5_000;
    running.put(freshnessOutput(FRESH_AGES, { seq: 100 }));
    assert.equal(await statusWith(META, tag), 304);
  });

  it('moves the tag with every change of what is served, and with no other', async () => {
    const changes: readonly (readonly [string, Output, boolean])[] = [
      [META, countersOutput({ real: 14 }), true],
      [META, countersOutput({ eventId: 2, account: 'b' }), false],
      [META, eventOutput({ phase: 'closed' }), true],
      [META, postOutput({ id: '41' }), false],
      [TWEETS, postOutput({ id: '42' }), true],
      // It is not on the first page.
      [TWEETS, postOutput({ id: '3', text: 'edited', createdAt: NOON - 3_600_000 }), !areTagsShared],
      [TWEETS, postOutput({ id: '42', account: 'b' }), false],
      [TWEETS, countersOutput(), false],
      [`${META}/lag`, lagOutput(), true],
      [`${META}/lag`, lagOutput({ account: 'b' }), false],
    ];
    let seq = 100;
    for (const [path, output, moves] of changes) {
      const before = await tagOf(path);
      seq += 1;
      running.put({ ...output, seq });
      assert.equal((await tagOf(path)) !== before, moves, `${path} after ${output.stream}`);
    }
  });

  it('never shares a tag between paths, tiers or pages', async () => {
    const tags = [
      await tagOf(META),
      await tagOf('/api/v1/meta/account_b'),
      await tagOf('/api/v1/meta/crypto'),
      await tagOf(`${META}/lag`),
      await tagOf('/api/v1/prediction/account_a'),
      await tagOf('/api/v1/prediction/account_a', PRO),
      await tagOf('/api/v1/prediction/account_b'),
      await tagOf('/api/v1/performance/overview'),
      await tagOf('/api/v1/performance/overview?account=account_a'),
      await tagOf('/api/v1/performance/overview?account=account_b'),
      await tagOf('/api/v1/performance/history'),
      await tagOf('/api/v1/performance/history?horizon=48'),
      await tagOf('/api/v1/performance/history?days=31'),
      await tagOf('/api/v1/performance/history?account=account_a'),
      await tagOf('/api/v1/performance/calibration'),
      await tagOf('/api/v1/performance/calibration?account=account_a'),
      await tagOf(TWEETS),
      await tagOf(TWEETS, PRO),
      await tagOf(`${TWEETS}?limit=16`, PRO),
      await tagOf(`${TWEETS}?limit=1&offset=51`, PRO),
      await tagOf(`${TWEETS}?limit=15&offset=1`, PRO),
    ];
    assert.equal(new Set(tags).size, tags.length);
    assert.equal(await statusWith(TWEETS, await tagOf(TWEETS), PRO), 200);
  });

  it('gives one page one tag, however it is asked for', async () => {
    assert.equal(await tagOf(TWEETS, PRO), await tagOf(`${TWEETS}?offset=0&limit=15.0`, PRO));
    assert.equal(await tagOf(TWEETS), await tagOf(`${TWEETS}?limit=3`));
  });

  it('does not take a tag of another process for its own', async () => {
    const tag = await tagOf(META);
    const other = await start({ loaded: [eventOutput({ title: 'Another log' }, { seq: 40 })], epoch: 'e2' });
    try {
      const response = await other.get(META, { 'If-None-Match': tag });
      assert.equal(response.status, 200);
    } finally {
      await other.stop();
    }
  });
}

it('a tag that processes share is the same however a process came to what it serves', async () => {
  const deps = { areTagsShared: true };
  const paths = [META, TWEETS, `${META}/lag`, '/api/v1/prediction/account_a', '/api/v1/accounts'];
  const first = await start({ loaded: STATE, deps });
  const second = await start({
    loaded: [eventOutput({ title: 'before' }), countersOutput({ real: 2 })],
    deps,
  });
  try {
    second.put(...STATE.map((output) => output));
    for (const path of paths) {
      const tag = (await first.get(path)).headers.get('etag') ?? '';
      const response = await second.get(path, { 'If-None-Match': tag });
      assert.deepEqual([response.status, response.headers.get('etag')], [304, tag], path);
    }
    second.put(countersOutput({ real: 99 }, { seq: 500 }));
    const tag = (await first.get(META)).headers.get('etag') ?? '';
    assert.equal((await second.get(META, { 'If-None-Match': tag })).status, 200);
  } finally {
    await Promise.all([first.stop(), second.stop()]);
  }
});
