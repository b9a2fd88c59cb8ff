import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { type Alerts, type AlertsDeps, openAlerts } from '../../src/alerts/alerts.ts';
import { alertBody } from '../../src/contract/alert-rule.ts';
import { alertMessage } from '../../src/contract/records/alert.ts';
import { RequestError, StartError, StoreError } from '../../src/errors.ts';
import { createLatest, type LatestWriter } from '../../src/views/latest.ts';
import type { Output } from '../../streams/internal.ts';
import { ACCOUNTS } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { countersOutput, eventOutput, NOON } from '../support/outputs.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const OPERATOR = { type: 'operator' } as const;
const KEY = { type: 'key', id: 'k1' } as const;
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const TIMES = { firstMs: 1, longestMs: 4, timeoutMs: 60_000 };

const body = (url: string, fields: object = {}) =>
  alertBody.parse({
    account: 'account_a',
    when: 'settlement_delta > 0',
    target: { type: 'webhook', url, secret: SECRET },
    ...fields,
  });

/** A store, its latest values, and alerts that can be opened on them again and again. */
function createWorld(deps: Partial<AlertsDeps> = {}) {
  const store = createMemoryStore();
  let latest: LatestWriter = createLatest();
  let seq = 0;
  let rules = 0;
  const opened: Alerts[] = [];
  return {
    store,
    async open(more: Partial<AlertsDeps> = {}): Promise<Alerts> {
      const alerts = await openAlerts({
        stored: store.alerts,
        outputs: store.outputs,
        latest,
        accounts: ACCOUNTS,
        configured: [],
        isAdmitted: () => true,
        allowsPrivate: true,
        times: TIMES,
        now: () => NOON,
        mono: () => performance.now(),
        random: () => 0,
        newId: () => `rule${++rules}`,
        report(error) {
          throw error;
        },
        ...deps,
        ...more,
      });
      opened.push(alerts);
      return alerts;
    },
    /** One turn with one observation. */
    async turn(...make: readonly ((seq: number) => Output)[]): Promise<void> {
      seq += 1;
      const outputs = make.map((each) => each(seq));
      await store.outputs.append(outputs, seq);
      latest.apply(outputs, seq, NOON);
    },
    /** As after a kill: what was in memory is gone. */
    restart(): void {
      latest = createLatest();
      latest.loadFrom(store.outputs);
    },
    async close(): Promise<void> {
      for (const alerts of opened) await alerts.stop();
    },
  };
}

const event = (seq: number) => eventOutput({}, { seq });
const delta = (value: number) => (seq: number) =>
  countersOutput({ settlementDelta: value }, { seq, at: NOON + seq });

describe('alerts', () => {
  let world: ReturnType<typeof createWorld>;
  let receiver: Receiver | undefined;
  beforeEach(() => {
    world = createWorld();
  });
  afterEach(async () => {
    await world.close();
    await receiver?.close();
    receiver = undefined;
  });

  const messages = () => (receiver?.received ?? []).map((each) => alertMessage.parse(JSON.parse(each.body)));

  it('are sent in order, signed, as the contract describes them', async () => {
    receiver = await startReceiver();
    await world.turn(event);
    const alerts = await world.open();
    await alerts.add(OPERATOR, body(`${receiver.url}/hook?x=1`, { name: 'ahead' }));
    for (const value of [1, 0, 2, 0, 3]) await world.turn(delta(value));
    await eventually('three alerts', () => messages().length === 3);
    assert.deepEqual(
      messages().map(({ n, value, seq, account, event_id, name }) => [
        n,
        value,
        seq,
        account,
        event_id,
        name,
      ]),
      [
        [1, 1, 2, 'account_a', 1, 'ahead'],
        [2, 2, 4, 'account_a', 1, 'ahead'],
        [3, 3, 6, 'account_a', 1, 'ahead'],
      ],
    );
    for (const { headers, body: text, path } of receiver.received) {
      const id = String(headers['webhook-id']);
      const signed = `${id}.${headers['webhook-timestamp']}.${text}`;
      const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
      const expected = createHmac('sha256', key).update(signed).digest('base64');
      assert.equal(headers['webhook-signature'], `v1,${expected}`);
      assert.equal(headers['webhook-timestamp'], String(NOON / 1_000));
      assert.equal(alertMessage.parse(JSON.parse(text)).id, id);
      assert.equal(path, '/hook?x=1');
    }
  });

  it('are tried again in order and under the same id until they are received', async () => {
    receiver = await startReceiver((received) => (received.length % 3 === 0 ? 200 : 500));
    await world.turn(event);
    const alerts = await world.open();
    await alerts.add(OPERATOR, body(receiver.url));
    for (const value of [1, 0, 2]) await world.turn(delta(value));
    await eventually('six tries', () => messages().length === 6);
    assert.deepEqual(
      messages().map(({ n }) => n),
      [1, 1, 1, 2, 2, 2],
    );
    assert.equal(new Set(messages().map(({ id }) => id)).size, 2);
    await eventually('nothing waits', () => alerts.list()[0]?.waiting === 0);
    assert.deepEqual(world.store.alerts.rows('waiting'), []);
  });

  it('are dead after a number of tries, and those after them are sent', async () => {
    receiver = await startReceiver((received) => (received.length <= 3 ? 503 : 200));
    await world.turn(event);
    const alerts = await world.open({ times: { ...TIMES, tries: 3 } });
    await alerts.add(KEY, body(receiver.url));
    for (const value of [1, 0, 2]) await world.turn(delta(value));
    await eventually('the second alert', () => messages().at(-1)?.n === 2);
    await eventually('nothing waits', () => alerts.list()[0]?.waiting === 0);
    const [dead, ...others] = alerts.dead(10, KEY);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [dead?.alert.n, dead?.alert.tries, dead?.alert.failure],
      [1, 3, 'the receiver answered 503'],
    );
    assert.deepEqual(alerts.dead(10, OPERATOR), []);
    assert.equal(alerts.list(KEY)[0]?.dead, 1);
  });

  it('are neither lost nor made twice by a process that was killed', async () => {
    receiver = await startReceiver();
    await world.turn(event);
    const first = await world.open();
    const { rule } = await first.add(OPERATOR, body(receiver.url));
    await world.turn(delta(1));
    await eventually('the first alert', () => messages().length === 1);
    await eventually('it is stored as received', () => first.list()[0]?.waiting === 0);
    await first.stop();
    // Stored, but never looked at.
    for (const value of [0, 2, 0, 3]) await world.turn(delta(value));
    world.restart();
    const second = await world.open();
    await eventually('all alerts', () => messages().length === 3);
    assert.deepEqual(
      messages().map(({ n, value, rule: id }) => [n, value, id]),
      [
        [1, 1, rule.id],
        [2, 2, rule.id],
        [3, 3, rule.id],
      ],
    );
    assert.equal(second.list()[0]?.alerts, 3);
  });

  it('are made by a process after one that was killed as soon as it had caught up', async () => {
    receiver = await startReceiver();
    await world.turn(event);
    const first = await world.open();
    await first.add(OPERATOR, body(receiver.url));
    await world.turn(delta(1));
    await eventually('the first alert', () => messages().length === 1);
    // Else it is sent again.
    await eventually('it is stored as received', () => first.list()[0]?.waiting === 0);
    await first.stop();
    // It arms the rule again, and is no alert.
    await world.turn(delta(0));
    world.restart();
    await world.open();
    world.restart();
    await world.open();
    await world.turn(delta(2));
    await eventually('the second alert', () => messages().length === 2);
    assert.deepEqual(
      messages().map(({ n }) => n),
      [1, 2],
    );
  });

  it('are made by the next process when the disk refused them until the end of this one', async () => {
    receiver = await startReceiver();
    await world.turn(event);
    let refusals = 0;
    const { alerts: stored } = world.store;
    const first = await world.open({
      report: () => undefined,
      stored: {
        rows: stored.rows,
        async write(changes) {
          const isAlert = changes.put.some(({ place: [kind] }) => kind === 'waiting');
          if (!isAlert || ++refusals > 2) return stored.write(changes);
          throw new StoreError('STORE_FULL', 'the disk is full');
        },
      },
    });
    await first.add(OPERATOR, body(receiver.url));
    await world.turn(delta(1));
    await eventually('the disk refuses it', () => refusals === 1);
    // It is tried again once, is refused again, and then the disk has space.
    await first.stop();
    world.restart();
    await world.open();
    await eventually('it came', () => messages().length === 1);
  });

  it('that wait are sent by the next process', async () => {
    let isUp = false;
    receiver = await startReceiver((_received, res) => (isUp ? 200 : void res.destroy()));
    await world.turn(event);
    const first = await world.open();
    await first.add(OPERATOR, body(receiver.url));
    for (const value of [1, 0, 2]) await world.turn(delta(value));
    await eventually('two wait', () => first.list()[0]?.waiting === 2 && messages().length > 0);
    await first.stop();
    isUp = true;
    const before = messages().length;
    world.restart();
    await world.open();
    await eventually('both came', () => messages().length === before + 2);
    assert.deepEqual(
      messages()
        .slice(before)
        .map(({ n }) => n),
      [1, 2],
    );
  });

  it('are not sent to private addresses, neither by their number nor by their name', async () => {
    receiver = await startReceiver();
    await world.turn(event);
    const { port } = new URL(receiver.url);
    const alerts = await world.open({
      allowsPrivate: false,
      lookupAll: (_host, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    await assert.rejects(alerts.add(OPERATOR, body(receiver.url)), RequestError);
    await alerts.add(OPERATOR, body(`http://bot.example:${port}/`));
    await world.turn(delta(1));
    await eventually('it is dead', () => alerts.dead(1).length === 1);
    assert.match(alerts.dead(1)[0]?.alert.failure ?? '', /private address/);
    assert.deepEqual(receiver.received, []);
  });

  it('end with the key that made their rule', async () => {
    receiver = await startReceiver();
    let isAdmitted = true;
    await world.turn(event);
    const alerts = await world.open({ isAdmitted: () => isAdmitted });
    await alerts.add(KEY, body(receiver.url));
    await alerts.add(OPERATOR, body(receiver.url));
    isAdmitted = false;
    await world.turn(delta(1));
    await eventually('the other one', () => messages().length === 1);
    assert.equal(alerts.list(KEY)[0]?.alerts, 0);
  });

  it('follow the rules of the config file, whose numbers go on when they are changed', async () => {
    receiver = await startReceiver();
    const configured = (when: string) => [{ ...body(receiver?.url ?? '', { when }), id: 'x' }];
    await world.turn(event);
    const first = await world.open({ configured: configured('settlement_delta > 0') });
    await world.turn(delta(1));
    await eventually('an alert', () => messages().length === 1);
    await eventually('it is stored as received', () => first.list()[0]?.waiting === 0);
    await assert.rejects(first.remove('config-x'), RequestError);
    await first.stop();
    const second = await world.open({ configured: configured('settlement_delta > 4') });
    await world.turn(delta(5));
    await eventually('another one', () => messages().length === 2);
    assert.deepEqual(
      messages().map(({ n, rule }) => [n, rule]),
      [
        [1, 'config-x'],
        [2, 'config-x'],
      ],
    );
    await second.stop();
    const third = await world.open();
    assert.deepEqual(third.list(), []);
    assert.deepEqual(world.store.alerts.rows('state'), []);
    await assert.rejects(
      world.open({ configured: configured('settlement_delta > 0'), allowsPrivate: false }),
      StartError,
    );
  });

  it('of a rule that is removed leave nothing behind', async () => {
    receiver = await startReceiver(() => 500);
    await world.turn(event);
    const alerts = await world.open();
    const { rule } = await alerts.add(KEY, body(receiver.url));
    await world.turn(delta(1));
    await eventually('a try', () => messages().length > 0);
    await assert.rejects(alerts.remove(rule.id, OPERATOR), RequestError);
    await alerts.remove(rule.id, KEY);
    for (const kind of ['rule', 'state', 'waiting', 'dead'] as const)
      assert.deepEqual(world.store.alerts.rows(kind), []);
    await world.turn(delta(0));
    assert.deepEqual(alerts.list(), []);
  });

  it('have the bodies of the receivers they are made for', async () => {
    receiver = await startReceiver();
    const { url } = receiver;
    await world.turn(event);
    const alerts = await world.open();
    const targets = [
      { type: 'ntfy', url: `${url}/counts`, token: 'tk_1' },
      { type: 'telegram', url: `${url}/bot1:x/sendMessage`, chat: '-5' },
      { type: 'discord', url: `${url}/webhooks/1/x` },
    ];
    for (const target of targets) await alerts.add(OPERATOR, body(url, { target, name: 'ahead' }));
    await world.turn(delta(1));
    await eventually('three requests', () => receiver?.received.length === 3);
    const sent = new Map(
      receiver.received.map(({ path, headers, body: text }) => [path, { headers, body: JSON.parse(text) }]),
    );
    const ntfy = sent.get('/');
    assert.equal(ntfy?.headers.authorization, 'Bearer tk_1');
    assert.deepEqual([ntfy?.body.topic, ntfy?.body.title], ['counts', 'ahead']);
    assert.match(ntfy?.body.message, /^account_a, Posts of account A: settlement_delta is 1 /);
    const telegram = sent.get('/bot1:x/sendMessage');
    assert.equal(telegram?.body.chat_id, '-5');
    assert.match(telegram?.body.text, /^ahead\naccount_a, .*\nrule2-2-/);
    const discord = sent.get('/webhooks/1/x');
    assert.match(discord?.body.content, /^ahead\naccount_a, .*\nrule3-2-/);
    assert.deepEqual(discord?.body.allowed_mentions, { parse: [] });
  });

  it('have at most 50 rules of an owner', async () => {
    const alerts = await world.open();
    for (let n = 0; n < 50; n++) await alerts.add(KEY, body('https://bot.example/'));
    await assert.rejects(alerts.add(KEY, body('https://bot.example/')), { code: 'alerts_full' });
    await alerts.add(OPERATOR, body('https://bot.example/'));
  });
});
