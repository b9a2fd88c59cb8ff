import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { alertMessage, alertRuleRecord, madeRuleRecord } from '../../src/contract/records/alert.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { type Receiver, startReceiver } from '../alerts/receiver.ts';
import { steer } from '../support/api.ts';
import { createNatsServer, type NatsServer, requireNatsServer } from '../support/bus/nats-server.ts';
import { eventually } from '../support/eventually.ts';
import { type Program, runProgram } from '../support/program.ts';

const HEADERS = { 'X-API-Key': 'demo_pro', 'Content-Type': 'application/json' };
const PATH = '/api/v1/alerts';
/** How far outputs were looked at moves on while they are compared. */
const KINDS = ['rule', 'state', 'waiting', 'dead'] as const;

const Predictions = z.object({
  data: z
    .array(
      z.object({
        event_id: z.number(),
        markets: z.array(
          z.object({ title: z.string(), token_id: z.string(), market_price: z.number().nullable() }),
        ),
      }),
    )
    .min(1),
});
const Rules = z.object({ data: z.array(alertRuleRecord).min(1) });

/** An engine takes its port anew when it leads. */
const isReady = (url: string) =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

// Processes as an operator runs them: a world, two engines and an edge on one NATS server.
describe('alerts of a cluster whose leading engine is killed', function () {
  this.timeout(600_000);
  let server: NatsServer;
  let folder: string;
  let receiver: Receiver;
  let world: Program;
  let edge: Program;
  const engines = new Map<string, Program>();
  let isRefusing = false;

  const onBus = (data: string, ...args: readonly string[]) =>
    runProgram([
      'start',
      ...['--bus', server.url, '--data', join(folder, data), '--port', '0', '--json', '--log-level', 'warn'],
      ...['--drain-seconds', '0', ...args],
    ]);
  async function startEngine(data: string): Promise<void> {
    const url = await world.url;
    const flags = ['--role', 'engine', '--world', url, '--history-days', '2', '--alerts-to-private', 'true'];
    engines.set(data, onBus(data, ...flags));
  }
  /** The engine that leads; undefined while none does. */
  async function leader(): Promise<string | undefined> {
    for (const [data, { url }] of engines) if (await isReady(await url)) return data;
    return undefined;
  }

  before(async function () {
    requireNatsServer(this);
    folder = await mkdtemp(join(tmpdir(), 'tallywire-alerts-'));
    receiver = await startReceiver(() => (isRefusing ? 503 : 204));
    server = await createNatsServer();
    await server.start();
    world = runProgram(['world', '--port', '0', '--json']);
    await startEngine('engine-1');
    await eventually('the first engine leads', async () => (await leader()) !== undefined);
    await startEngine('engine-2');
    edge = onBus('edge', '--role', 'edge', '--world', await world.url);
    const url = await edge.url;
    await eventually('the edge is ready', () => isReady(url));
  });

  after(async () => {
    await Promise.all([...engines.values(), world, edge].map((program) => program?.kill('SIGKILL')));
    await server?.remove();
    await receiver?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const messages = () => receiver.received.map(({ body }) => alertMessage.parse(JSON.parse(body)));
  /** Without those that came again. */
  const numbers = () => [...new Map(messages().map(({ id, n }) => [id, n])).values()];

  async function firstBucket() {
    const { data } = Predictions.parse(await get('/api/v1/prediction/account_a'));
    const [event] = data;
    const market = event?.markets.find(({ market_price }) => market_price !== null);
    assert.ok(event && market);
    return { event: event.event_id, bucket: market.title, token: market.token_id };
  }

  async function get(path: string): Promise<unknown> {
    const answer = await fetch((await edge.url) + path, { headers: HEADERS });
    return answer.ok ? answer.json() : undefined;
  }

  /** Moves the price of a bucket, and waits until readers see it. */
  async function setPrice(token: string, price: number): Promise<void> {
    await steer(await world.url, 'set-price', { token, price });
    await eventually(`the price is ${price}`, async () => {
      const shown = Predictions.safeParse(await get('/api/v1/prediction/account_a')).data?.data ?? [];
      const market = shown.flatMap(({ markets }) => markets).find(({ token_id }) => token_id === token);
      return Math.abs((market?.market_price ?? 2) - price) < 0.1;
    });
  }

  async function kept(data: string): Promise<string> {
    const store = await openStore(join(folder, data), { readOnly: true });
    try {
      return JSON.stringify(KINDS.map((kind) => store.alerts.rows(kind)));
    } finally {
      await store.close();
    }
  }

  it('come in order, without a hole and under one id each from one engine and the next', async () => {
    const { event, bucket, token } = await firstBucket();
    await setPrice(token, 0.1);
    const target = { type: 'webhook', url: receiver.url };
    const rule = { account: 'account_a', event, bucket, when: 'market_price > 0.6', target };
    const made = await fetch((await edge.url) + PATH, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify(rule),
    });
    assert.equal(made.status, 200, await made.clone().text());
    const { id } = madeRuleRecord.parse(await made.json());
    const alertComes = async (n: number) => {
      await setPrice(token, 0.9);
      await eventually(`alert ${n}`, () => numbers().includes(n));
      await setPrice(token, 0.1);
    };
    await alertComes(1);
    await alertComes(2);

    // The third one is under way when its sender is gone.
    isRefusing = true;
    await alertComes(3);
    const first = await leader();
    assert.ok(first);
    await engines.get(first)?.kill('SIGKILL');
    engines.delete(first);
    await eventually('the other engine leads', async () => (await leader()) !== undefined);
    isRefusing = false;
    const third = messages().filter(({ n }) => n === 3).length;
    await eventually('it is sent again', () => messages().filter(({ n }) => n === 3).length > third);
    await alertComes(4);
    assert.deepEqual(numbers(), [1, 2, 3, 4]);
    assert.deepEqual(new Set(messages().map(({ rule: of }) => of)), new Set([id]));

    await eventually('nothing waits', async () => {
      const [listed] = Rules.safeParse(await get(PATH)).data?.data ?? [];
      return listed?.id === id && listed.alerts === 4 && listed.waiting === 0 && listed.dead === 0;
    });
    const [second = ''] = engines.keys();
    await startEngine(first);
    await eventually('both keep the same', async () => (await kept(first)) === (await kept(second)));
  });
});
