import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import * as z from 'zod';
import { askControlSocket } from '../../src/access/keys/control-socket.ts';
import { parseKeyCommandAnswer } from '../../src/access/keys/key-commands.ts';
import { parseConfig } from '../../src/config/config.ts';
import { alertMessage, alertRuleRecord, madeRuleRecord } from '../../src/contract/records/alert.ts';
import { openConfigured } from '../../src/service/open-configured.ts';
import type { Service } from '../../src/service/service.ts';
import { CONTROL_SOCKET, openSocketFolder } from '../../src/store/socket-folder.ts';
import { startReceiver } from '../alerts/receiver.ts';
import { steer } from '../support/api.ts';
import { createNatsServer, type NatsServer, requireNatsServer } from '../support/bus/nats-server.ts';
import { eventually } from '../support/eventually.ts';
import { SIGNALS } from '../support/payment-terms.ts';
import { createPayer, headerOf } from '../support/payments.ts';
import { openStage, type Stage } from '../support/service.ts';

const TWEETS = '/api/v1/meta/account_a/tweets';

describe('callers of an engine and an edge on NATS', () => {
  let server: NatsServer;
  let stage: Stage;
  let edge: Service;
  let folder: string;

  before(async function () {
    this.timeout(120_000);
    requireNatsServer(this);
    server = await createNatsServer();
    await server.start();
    stage = await openStage({
      startAt: Date.now(),
      flags: { bus: server.url, payments: 'demo', alertsToPrivate: 'true' },
    });
    folder = await mkdtemp(join(tmpdir(), 'tallywire-edge-'));
    const flags = { port: '0', data: folder, role: 'edge', bus: server.url };
    edge = await openConfigured(parseConfig({ flags, env: {} }), pino({ level: 'silent' }), { version: '0' });
    await eventually('the edge serves', async () => (await fetch(edge.url + TWEETS)).status === 200);
  });

  after(async function () {
    this.timeout(60_000);
    await edge?.stop();
    await stage?.close();
    await server?.remove();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  /** The answer of a machine, also of one that is so busy that its engine does not answer in time at first. */
  async function ask(url: string, init: RequestInit = {}): Promise<Response> {
    for (;;) {
      const answer = await fetch(url, init);
      if (answer.status !== 503) return answer;
      await answer.text();
    }
  }

  const get = (path: string, headers: Record<string, string> = {}) => ask(edge.url + path, { headers });
  const getFromEngine = (path: string, headers: Record<string, string> = {}) =>
    ask(stage.url() + path, { headers });

  async function command(asked: object) {
    const sockets = openSocketFolder(stage.data);
    try {
      const reply = await askControlSocket(sockets.pathOf(CONTROL_SOCKET), asked);
      assert.ok(reply?.ok, JSON.stringify(reply));
      return parseKeyCommandAnswer(reply.result);
    } finally {
      sockets.close();
    }
  }

  async function createKey(tier: 'PRO' | 'INTERNAL') {
    const { key, keys } = await command({ op: 'create', tier, name: 'a', limit: null });
    const headers = { 'X-API-Key': key ?? '' };
    await eventually('both know the key', async () => {
      const answers = [await get(SIGNALS, headers), await getFromEngine(SIGNALS, headers)];
      return answers.every(({ status }) => status === 200);
    });
    return { headers, id: keys[0]?.id ?? '' };
  }

  it('have keys of the engine at the edge, until they are revoked', async function () {
    this.timeout(60_000);
    const { headers, id } = await createKey('PRO');
    assert.equal((await get(SIGNALS)).status, 401);
    await command({ op: 'revoke', id });
    await eventually('the edge refuses it', async () => (await get(SIGNALS, headers)).status === 401);
    await eventually(
      'so does the engine',
      async () => (await getFromEngine(SIGNALS, headers)).status === 401,
    );
  });

  it('see at the edge what the engine keeps: the past and their usage', async function () {
    this.timeout(60_000);
    const { headers } = await createKey('INTERNAL');
    const at = stage.clock.wall() - 200;
    const path = `${TWEETS}?limit=3&as_of=${Math.floor(at)}`;
    // On a busy machine the engine may not have logged everything of that instant yet.
    await eventually('both say the same', async () => {
      const [here, there] = [await get(path, headers), await getFromEngine(path, headers)];
      assert.deepEqual([here.status, there.status], [200, 200]);
      const isSame = here.headers.get('etag') === there.headers.get('etag');
      return (await here.text()) === (await there.text()) && isSame;
    });
    await eventually('the usage of the edge is counted', async () => {
      const now = Math.floor(stage.clock.wall() / 1_000);
      const answer = await get(`/api/v1/usage/by-endpoint?start=${now - 600}&end=${now + 1}`, headers);
      assert.equal(answer.status, 200);
      return (await answer.text()).includes(TWEETS);
    });
  });

  it('have one place on the waitlist', async function () {
    this.timeout(60_000);
    const claim = async (url: string) => {
      const body = JSON.stringify({
        type: 'agent',
        case: 'a trading bot',
        name: 'bot',
        wallet: `0x${'1'.repeat(40)}`,
      });
      const headers = { 'Content-Type': 'application/json' };
      const answer = await ask(`${url}/api/v1/waitlist`, { method: 'POST', headers, body });
      assert.equal(answer.status, 200);
      return answer.json();
    };
    assert.deepEqual(await claim(edge.url), { status: 'registered', position: 1 });
    assert.deepEqual(await claim(stage.url()), { status: 'already_registered', position: 1 });
    assert.deepEqual(await claim(edge.url), { status: 'already_registered', position: 1 });
  });

  it('pay the engine for an answer of the edge, once', async function () {
    this.timeout(60_000);
    const offered = await get(SIGNALS);
    assert.notEqual(offered.headers.get('PAYMENT-REQUIRED'), null);
    const payment = headerOf(await createPayer().sign({ nowMs: stage.clock.wall() }));
    const paid = await get(SIGNALS, { 'PAYMENT-SIGNATURE': payment });
    assert.equal(paid.status, 200, await paid.clone().text());
    assert.notEqual(paid.headers.get('PAYMENT-RESPONSE'), null);
    const body = await paid.text();
    const again = await getFromEngine(SIGNALS, { 'PAYMENT-SIGNATURE': payment });
    assert.equal(again.status, 200);
    assert.equal(await again.text(), body, 'the same answer, wherever the payment is sent again');
  });

  it('have the same rules of alerts at the edge and at the engine, and one delivery', async function () {
    this.timeout(120_000);
    const receiver = await startReceiver();
    const { headers } = await createKey('PRO');
    const { headers: others } = await createKey('PRO');
    const ALERTS = '/api/v1/alerts';
    const rulesAt = async (url: string, key: Record<string, string>) => {
      const answer = await ask(url + ALERTS, { headers: key });
      assert.equal(answer.status, 200);
      return z.object({ data: z.array(alertRuleRecord) }).parse(await answer.json()).data;
    };
    const post = (url: string, rule: object) =>
      ask(url + ALERTS, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(rule),
      });
    try {
      const target = { type: 'webhook', url: `${receiver.url}/hook` };
      const rule = { account: 'account_a', when: 'real_counter < 0', target };
      const made = await post(edge.url, rule);
      assert.equal(made.status, 200, await made.clone().text());
      const { id, secret } = madeRuleRecord.parse(await made.json());
      assert.match(secret ?? '', /^whsec_/);
      for (const url of [edge.url, stage.url()]) {
        const [listed, ...rest] = await rulesAt(url, headers);
        assert.deepEqual([listed?.id, listed?.account, rest], [id, 'account_a', []]);
        assert.deepEqual(await rulesAt(url, others), []);
        const unknown = await post(url, { ...rule, account: 'nobody' });
        assert.equal(unknown.status, 422);
        assert.match(await unknown.text(), /'account_a'/);
      }
      assert.equal((await ask(edge.url + ALERTS)).status, 401);
      // What holds already has to become true anew.
      const delta = { ...rule, when: 'settlement_delta >= 1' };
      assert.equal((await post(stage.url(), delta)).status, 200);
      await steer(stage.world.url, 'stall-oracle', { account: 'a' });
      await steer(stage.world.url, 'post', { account: 'a', text: 'the oracle does not see it' });
      await eventually('the alert is delivered', () => receiver.received.length > 0);
      const alert = alertMessage.parse(JSON.parse(receiver.received[0]?.body ?? ''));
      assert.deepEqual([alert.n, alert.figure, alert.account], [1, 'settlement_delta', 'account_a']);

      const dead = await ask(`${edge.url}${ALERTS}/dead`, { headers });
      assert.deepEqual([dead.status, Object(await dead.json()).data], [200, []]);
      const remove = (url: string, key: Record<string, string>) =>
        ask(`${url}${ALERTS}?id=${id}`, { method: 'DELETE', headers: key });
      assert.equal((await remove(edge.url, others)).status, 404);
      assert.equal((await remove(edge.url, headers)).status, 200);
      assert.equal((await rulesAt(stage.url(), headers)).length, 1);
      assert.equal((await remove(stage.url(), headers)).status, 404);
    } finally {
      await receiver.close();
    }
  });

  it('are limited over both together', async function () {
    this.timeout(60_000);
    const key = await command({ op: 'create', tier: 'PRO', name: 'small', limit: 10 });
    const headers = { 'X-API-Key': key.key ?? '' };
    const uncounted = '/api/v1/meta/account_a/lag';
    await eventually('both know it', async () => {
      const answers = [await get(uncounted, headers), await getFromEngine(uncounted, headers)];
      return answers.every(({ status }) => status !== 401);
    });
    let admitted = 0;
    for (let call = 0; call < 20; call++) {
      const url = call % 2 === 0 ? edge.url : stage.url();
      const { status } = await fetch(`${url}/api/v1/meta/account_a`, { headers });
      if (status === 200) admitted += 1;
      // On a machine that is too busy the engine may not answer in time.
      else assert.ok(status === 429 || status === 503, `status ${status}`);
    }
    assert.ok(admitted <= 10, `${admitted} calls were let in, the limit is 10`);
  });
});
