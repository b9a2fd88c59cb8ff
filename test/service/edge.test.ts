import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { createNatsServer, type NatsServer, requireNatsServer } from '../support/bus/nats-server.ts';
import { eventually } from '../support/eventually.ts';
import { type Program, runProgram } from '../support/program.ts';

const PRO = { 'X-API-Key': 'demo_pro' };
const PATHS = [
  '/api/v1/accounts',
  '/api/v1/meta/account_a',
  '/api/v1/meta/account_a/tweets',
  '/api/v1/meta/account_b/tweets',
  '/api/v1/prediction/account_b',
];

/** An engine takes its port anew when it leads. */
const isReady = (url: string) =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

const Tweets = z.looseObject({ data: z.array(z.looseObject({ tweet_id: z.string() })).min(1) });

const Frame = z.looseObject({
  type: z.string(),
  epoch: z.string(),
  channel: z.string().nullish(),
  account: z.string().nullish(),
  seq: z.number().nullish(),
  data: z.unknown().optional(),
});

/**
 * Reads a feed up to its first heartbeat, and resolves to its epoch. Rejects when a frame has the number of another one
 * that was seen.
 */
async function readFrames(url: string, seen: Map<string, string>): Promise<string> {
  const stream = await fetch(`${url}/api/v1/feed?channels=counters,lag,heartbeat`, {
    headers: { Accept: 'text/event-stream' },
  });
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!/"type":"heartbeat".*\n\n/.test(text)) {
    const piece = await reader?.read();
    assert.equal(piece?.done, false, text);
    text += piece?.value ?? '';
  }
  await reader?.cancel();
  let epoch = '';
  for (const [, line = ''] of text.matchAll(/^data: (.*)$/gm)) {
    const frame = Frame.parse(JSON.parse(line));
    ({ epoch } = frame);
    if (frame.seq == null) continue;
    const place = [epoch, frame.channel, frame.account, frame.seq].join(' ');
    const said = JSON.stringify(frame.data);
    assert.equal(seen.get(place) ?? said, said, place);
    seen.set(place, said);
  }
  return epoch;
}

/** What only a process knows that reaches the world: where the market shows its events, and a wallet to try. */
const ONLY_OF_ENGINES = / data-(?:demo-wallet|market-pages)="[^"]*"| value="0x[0-9a-f]{40}"/gi;

// Processes as an operator runs them: a world, an engine and two edges on one NATS server.
describe('edges', function () {
  this.timeout(600_000);
  let server: NatsServer;
  let folder: string;
  let world: Program;
  let engine: Program;
  const edges: Program[] = [];

  const onBus = (data: string, ...args: readonly string[]) =>
    runProgram([
      'start',
      ...['--bus', server.url, '--data', join(folder, data), '--port', '0', '--json', '--log-level', 'warn'],
      ...['--drain-seconds', '0', ...args],
    ]);
  // Enough for a forecast, and not for forecasts of the past, which take long.
  const startEngine = async () =>
    onBus('engine', '--role', 'engine', '--world', await world.url, '--history-days', '15');
  const startEdge = async (data: string) => {
    const program = onBus(data, '--role', 'edge', '--world', await world.url);
    const url = await program.url;
    await eventually(`${data} is ready`, () => isReady(url));
    return program;
  };

  before(async function () {
    requireNatsServer(this);
    folder = await mkdtemp(join(tmpdir(), 'tallywire-edges-'));
    server = await createNatsServer();
    await server.start();
    world = runProgram(['world', '--port', '0', '--json']);
    engine = await startEngine();
    const url = await engine.url;
    await eventually('the engine leads', () => isReady(url));
    edges.push(...(await Promise.all(['edge-1', 'edge-2'].map(startEdge))));
  });

  after(async () => {
    await Promise.all([engine, world, ...edges].map((program) => program?.kill('SIGKILL')));
    await server?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const urls = () => Promise.all([engine, ...edges].map(({ url }) => url));
  const get = (url: string, path: string, headers: Record<string, string> = {}) =>
    fetch(url + path, { headers: { ...PRO, ...headers } });

  it('serve what the engine serves, and take the tags of each other and of the engine for their own', async () => {
    const all = await urls();
    for (const path of PATHS) {
      // What is served changes now and then, and an edge knows of it a little later.
      await eventually(`${path} is the same everywhere`, async () => {
        const tags = await Promise.all(
          all.map(async (url) => {
            const response = await get(url, path);
            assert.equal(response.status, 200);
            await response.arrayBuffer();
            return response.headers.get('etag') ?? '';
          }),
        );
        const known = await Promise.all(
          all.map(async (url) => (await get(url, path, { 'If-None-Match': tags[0] ?? '' })).status),
        );
        return known.every((status) => status === 304);
      });
    }
  });

  it('serve documents, the page and the feed for all accounts', async () => {
    const [engineUrl = '', edgeUrl = ''] = await urls();
    for (const path of ['/api/v1/openapi.json', '/api/v1/asyncapi.json', '/', '/docs']) {
      const [own, other] = await Promise.all([get(engineUrl, path), get(edgeUrl, path)]);
      const expected = (await own.text()).replaceAll(ONLY_OF_ENGINES, '');
      assert.deepEqual([other.status, await other.text()], [own.status, expected], path);
    }
    const stream = await fetch(`${edgeUrl}/api/v1/feed?channels=heartbeat,test`, {
      headers: { Accept: 'text/event-stream' },
    });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('"type":"heartbeat"')) text += (await reader?.read())?.value ?? '';
    await reader?.cancel();
    assert.match(text, /"counters\/account_b":\d+/);
  });

  it('have the past answered by the engine', async () => {
    const [, edgeUrl = ''] = await urls();
    const response = await get(edgeUrl, `/api/v1/meta/account_a?as_of=${Date.now() - 1_000}`);
    assert.equal(response.status, 200, await response.text());
  });

  it('go on from their own folder after a kill', async () => {
    const [, second] = edges;
    assert.ok(second);
    await second.kill('SIGKILL');
    edges[1] = await startEdge('edge-2');
    const url = await edges[1].url;
    // What it may admit is asked for with the first call, and an engine on a busy machine may be late with that.
    await eventually('it serves', async () => (await get(url, '/api/v1/meta/account_a')).ok);
  });

  it('are not ready and say so while they hear nothing, serve what they have with its growing age, and go on', async () => {
    const [, edgeUrl = ''] = await urls();
    const Body = z.looseObject({
      data: z.array(
        z.looseObject({ as_of: z.looseObject({ ages_ms: z.looseObject({ posts: z.number() }) }) }),
      ),
    });
    const ageOf = async () =>
      Body.parse(await (await get(edgeUrl, '/api/v1/meta/account_a')).json()).data[0]?.as_of.ages_ms.posts ??
      0;
    server.freeze();
    try {
      await eventually(
        'the edge is not ready',
        async () => (await fetch(`${edgeUrl}/readyz`)).status === 503,
      );
      assert.match(await (await fetch(`${edgeUrl}/readyz`)).text(), /"reason":"nothing is known/);
      const before = await ageOf();
      assert.ok(before > 5_000, `posts are ${before} ms old`);
      await eventually('it grows older', async () => (await ageOf()) > before);
      const health = z.looseObject({ status: z.string(), behind_ms: z.number() });
      const { status } = health.parse(await (await get(edgeUrl, '/api/v1/health')).json());
      assert.equal(status, 'degraded');
    } finally {
      server.thaw();
    }
    await eventually('the edge is ready again', () => isReady(edgeUrl));
  });

  it('serve what they have while the servers are gone, refuse what needs the engine, and go on when they are back', async () => {
    const [, edgeUrl = ''] = await urls();
    const joinWaitlist = () =>
      fetch(`${edgeUrl}/api/v1/waitlist`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
          type: 'agent',
          case: 'a trading bot',
          name: 'bot',
          wallet: `0x${'7'.repeat(40)}`,
        }),
      });
    await server.kill();
    try {
      const response = await joinWaitlist();
      assert.equal(response.status, 503, await response.text());
      assert.equal((await get(edgeUrl, '/api/v1/meta/account_a')).status, 200);
    } finally {
      await server.start();
    }
    await eventually('the edge is ready again', () => isReady(edgeUrl));
    await eventually('the engine answers again', async () => (await joinWaitlist()).status < 300);
  });

  it('give no number to two frames when the servers have lost everything', async () => {
    const [, edgeUrl = ''] = await urls();
    const seen = new Map<string, string>();
    const before = await readFrames(edgeUrl, seen);
    await server.wipe();
    await server.start();
    // Its supervisor starts it again.
    await engine.ended;
    engine = await startEngine();
    await eventually('the edge serves the new cluster', async () => {
      if (!(await isReady(edgeUrl))) return false;
      return (await readFrames(edgeUrl, seen)) !== before;
    });
    const [engineUrl = ''] = await urls();
    /** Undefined while it is not served: the cluster may still be joined anew. */
    const idsAt = async (url: string) => {
      const answer = await get(url, '/api/v1/meta/account_b/tweets');
      if (!answer.ok) return undefined;
      const { data } = Tweets.parse(await answer.json());
      return data.map(({ tweet_id }) => tweet_id).join();
    };
    await eventually('both serve the same', async () => {
      const ids = await idsAt(edgeUrl);
      return ids !== undefined && ids === (await idsAt(engineUrl));
    });
  });
});
