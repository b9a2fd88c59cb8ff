import assert from 'node:assert/strict';
import { createGateWith } from '../../src/access/gate.ts';
import { demoKeys } from '../../src/access/keys/key-lookup.ts';
import { edgeCounting } from '../../src/access/limits/grants/edge-counting.ts';
import { createEdgeGrants } from '../../src/access/limits/grants/edge-grants.ts';
import { createLedger } from '../../src/access/limits/grants/ledger.ts';
import { RequestError } from '../../src/errors.ts';
import { NOON, timeline } from '../support/outputs.ts';
import { json, start } from './start.ts';

const PRO = { 'X-API-Key': 'demo_pro' };
const TWEETS = '/api/v1/meta/account_a/tweets';

const POSTS = timeline(40).toSorted((a, b) => b.record.createdAt - a.record.createdAt);

describe('a server that holds no truth', () => {
  it('has the past, older posts, wallets and usage answered elsewhere, with the same bytes', async () => {
    const engine = await start({ loaded: POSTS });
    const edge = await start({
      loaded: POSTS.slice(0, 10),
      deps: { forward: engine.app.answerForwarded },
    });
    try {
      const paths = [
        `${TWEETS}?limit=5&offset=20`,
        `${TWEETS}?as_of=${NOON}`,
        '/api/v1/meta/account_a?as_of=1',
        '/api/v1/portfolio/account_a?wallet=0x1',
        `/api/v1/portfolio/account_a?wallet=0x${'1'.repeat(40)}`,
      ];
      for (const path of paths) {
        const [here, there] = [await edge.get(path, PRO), await engine.get(path, PRO)];
        assert.equal(here.status, there.status, path);
        assert.equal(here.headers.get('etag'), there.headers.get('etag'), path);
        assert.equal(await here.text(), await there.text(), path);
      }
      const page = await json(await edge.get(`${TWEETS}?limit=5&offset=20`, PRO));
      assert.equal(Array.isArray(page.data) && page.data.length, 5);
      const free = await json(await edge.get(`${TWEETS}?limit=5&offset=20`));
      assert.deepEqual(
        [free.limit, free.offset],
        [15, 0],
        'a FREE caller gets the first page of this server',
      );

      engine.usage.record('/x', 'GET', 200, 1, 1, 'demo-internal');
      const usage = await edge.get('/api/v1/usage/summary', { 'X-API-Key': 'demo_internal' });
      assert.equal(usage.status, 200);
      assert.match(await usage.text(), /"\/x"|"total_requests":1/);
      assert.equal((await edge.get('/api/v1/usage/summary', PRO)).status, 401);
    } finally {
      await edge.stop();
      await engine.stop();
    }
  });

  it('passes on that the other one cannot be asked', async () => {
    const edge = await start({
      deps: {
        forward: async () => {
          throw new RequestError(503, 'engine_unavailable', 'no answer', { 'Retry-After': '2' });
        },
      },
    });
    try {
      const answer = await edge.get(`${TWEETS}?as_of=${NOON}`, PRO);
      assert.equal(answer.status, 503);
      assert.equal(answer.headers.get('retry-after'), '2');
      assert.equal((await json(answer)).code, 'engine_unavailable');
    } finally {
      await edge.stop();
    }
  });
});

describe('a gate whose calls are granted elsewhere', () => {
  it('lets in as many as the limit, over ready answers and others, and then refuses', async () => {
    const ledger = createLedger({ places: 2, placeMs: 600_000 });
    let clock = 0;
    const grants = createEdgeGrants({
      edge: 'one',
      send(message) {
        // As over a bus: the answer comes later.
        setImmediate(() => {
          const { messages } = ledger.receive(JSON.parse(JSON.stringify(message)), NOON + clock);
          for (const each of messages) grants.receive(each, clock);
        });
      },
    });
    grants.tick(0);
    const gate = createGateWith(
      edgeCounting(grants, () => clock),
      { keys: demoKeys(), now: () => NOON + clock, limits: { FREE: 20, PRO: 20, INTERNAL: null } },
    );
    const server = await start({ deps: { gate } });
    try {
      const statuses: number[] = [];
      const left: string[] = [];
      for (let call = 0; call < 22; call++) {
        clock += 1;
        grants.tick(clock);
        const path = call % 2 === 0 ? '/api/v1/meta/account_a' : `${TWEETS}?as_of=${NOON}`;
        const answer = await server.get(path, PRO);
        statuses.push(answer.status);
        left.push(answer.headers.get('x-ratelimit-remaining') ?? '');
        await answer.text();
      }
      assert.equal(statuses.filter((status) => status === 429).length, 2);
      assert.deepEqual(statuses.slice(-2), [429, 429]);
      assert.equal(left[0], '19');
      assert.equal(left.at(-1), '0');
    } finally {
      await server.stop();
    }
  });
});
