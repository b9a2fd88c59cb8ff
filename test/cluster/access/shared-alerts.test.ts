import assert from 'node:assert/strict';
import { alertBody } from '../../../src/contract/alert-rule.ts';
import { alertMessage } from '../../../src/contract/records/alert.ts';
import type { Store } from '../../../src/store/store.ts';
import { createRng } from '../../../src/world/rng.ts';
import { type Receiver, startReceiver } from '../../alerts/receiver.ts';
import { type AlertsEngine, type AlertsWorld, openAlertsWorld } from '../../support/alerts-world.ts';
import { countersOutput, eventOutput, NOON } from '../../support/outputs.ts';
import { withSeed } from '../../support/with-seed.ts';
import { deltasOf, expectedAlerts, outputsAt, RULES } from '../../sweeps/alerts-life.ts';

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

const KINDS = ['upTo', 'rule', 'state', 'waiting', 'dead'] as const;
const contentOf = ({ alerts }: Store) => KINDS.map((kind) => alerts.rows(kind));
const event = (seq: number) => [eventOutput({}, { seq })];
const delta = (value: number, seq: number) => [
  countersOutput({ settlementDelta: value }, { seq, at: NOON + seq }),
];

describe('alerts of several engines', () => {
  let world: AlertsWorld;
  let receiver: Receiver | undefined;
  afterEach(async () => {
    await world.close();
    await receiver?.close();
    receiver = undefined;
  });

  const messages = (path?: string) =>
    (receiver?.received ?? [])
      .filter((each) => path === undefined || each.path === path)
      .map((each) => alertMessage.parse(JSON.parse(each.body)));

  it('are kept by all of them: rules, what they remember, what waits and what is dead', async () => {
    world = await openAlertsWorld(1);
    receiver = await startReceiver((received) => (received.length <= 2 ? 500 : 204));
    const [first, second] = [await world.standby(), await world.standby()];
    const led = await world.lead(first, { times: { ...TIMES, tries: 2 } });
    await led.turn(event(1), 1);
    const { rule } = await world.settled(led.alerts.add(KEY, body(receiver.url)));
    const { rule: other } = await world.settled(led.alerts.add(KEY, body(receiver.url)));
    await world.settled(led.alerts.remove(other.id, KEY));
    for (const [index, value] of [1, 0, 2].entries()) await led.turn(delta(value, index + 2), index + 2);
    await world.until('all are sent', () => messages().at(-1)?.n === 2);
    await world.until('nothing waits', () => led.alerts.list()[0]?.waiting === 0);
    await led.stop();
    const same = () => JSON.stringify(contentOf(second.store)) === JSON.stringify(contentOf(first.store));
    await world.until('the other one has the same', same);
    assert.deepEqual(
      second.store.alerts.rows('rule').map(({ place }) => place[1]),
      [rule.id],
    );
    assert.deepEqual(
      second.store.alerts.rows('dead').map(({ place }) => place[2]),
      [1],
    );
  });

  it('are sent under the same id by the next leader when their receipt was not stored', async () => {
    world = await openAlertsWorld(2);
    let killed: (() => void) | undefined;
    receiver = await startReceiver(() => {
      killed?.();
      return 204;
    });
    const [first, second] = [await world.standby(), await world.standby()];
    const led = await world.lead(first, { times: TIMES });
    await led.turn(event(1), 1);
    const { rule } = await world.settled(led.alerts.add(KEY, body(receiver.url)));
    // It takes the alert, and then its sender is gone.
    killed = () => {
      first.node.kill();
      killed = undefined;
    };
    await led.turn(delta(1, 2), 2);
    await world.until('it was sent', () => messages().length === 1);
    const next = await world.lead(second, { times: TIMES });
    await world.until('it was sent again', () => messages().length === 2);
    await next.turn(delta(0, 3), 3);
    await next.turn(delta(3, 4), 4);
    await world.until('so is the next one', () => messages().length === 3);
    assert.deepEqual(
      messages().map(({ n, rule: id, value }) => [n, id, value]),
      [
        [1, rule.id, 1],
        [1, rule.id, 1],
        [2, rule.id, 3],
      ],
    );
    assert.equal(new Set(messages().map(({ id }) => id)).size, 2);
    await world.until('nothing waits', () => next.alerts.list(KEY)[0]?.waiting === 0);
  });

  it('that became due while nobody led are made by the next leader', async () => {
    world = await openAlertsWorld(3);
    receiver = await startReceiver();
    const [first, second] = [await world.standby(), await world.standby()];
    const led = await world.lead(first, { times: TIMES });
    await led.turn(event(1), 1);
    await world.settled(led.alerts.add(KEY, body(receiver.url)));
    // Its outputs are told, and what it makes of them is not.
    await world.settled(led.alerts.stop());
    for (const [index, value] of [1, 0, 2].entries()) await led.turn(delta(value, index + 2), index + 2);
    first.node.kill();
    await world.lead(second, { times: TIMES });
    await world.until('both came', () => messages().length === 2);
    assert.deepEqual(
      messages().map(({ n, seq }) => [n, seq]),
      [
        [1, 2],
        [2, 4],
      ],
    );
  });

  it('are not sent by a leader that cannot say whether it still leads', async () => {
    world = await openAlertsWorld(4);
    receiver = await startReceiver();
    let isHeld = false;
    const led = await world.lead(await world.standby(), { times: TIMES, mayDeliver: () => isHeld });
    await led.turn(event(1), 1);
    await world.settled(led.alerts.add(KEY, body(receiver.url)));
    await led.turn(delta(1, 2), 2);
    await world.until('it waits', () => led.alerts.list()[0]?.waiting === 1);
    assert.deepEqual(messages(), []);
    isHeld = true;
    await world.until('it is sent', () => messages().length === 1);
  });

  it('are stored and sent no more by a leader that was replaced, which says so once', async () => {
    world = await openAlertsWorld(5);
    receiver = await startReceiver();
    const [first, second] = [await world.standby(), await world.standby()];
    const ends: unknown[] = [];
    const led = await world.lead(first, { times: TIMES, broken: (error) => ends.push(error) });
    await led.turn(event(1), 1);
    await world.settled(led.alerts.add(KEY, body(receiver.url)));
    const next = await world.lead(second, { times: TIMES });
    await assert.rejects(world.settled(led.alerts.add(KEY, body(receiver.url))), { code: 'BUS_FENCED' });
    first.latest.apply(delta(1, 2), 2, NOON + 2);
    await world.until('it has learned it', () => ends.length > 0);
    assert.deepEqual(messages(), []);
    assert.equal(led.alerts.list().length, 1);
    assert.equal(next.alerts.list().length, 1);
  });

  /** In a run: leaders that are killed, or end in order, while receivers fail. */
  async function run(seed: number): Promise<void> {
    const last = 100;
    const rng = createRng('alerts of engines', seed);
    const deltas = deltasOf(seed, last);
    world = await openAlertsWorld(seed);
    const seen = new Map<string, number>();
    const isDoomed = (seq: number) => seq % 7 === 0;
    receiver = await startReceiver((received, res) => {
      const { id, seq } = alertMessage.parse(JSON.parse(received.at(-1)?.body ?? ''));
      const times = (seen.get(id) ?? 0) + 1;
      seen.set(id, times);
      if (isDoomed(seq)) return 500;
      // A receiver that takes an alert and does not say so.
      if (times === 1 && rng.next() < 0.2) return void res.destroy();
      return times === 1 && rng.next() < 0.2 ? 503 : 204;
    });
    const { url } = receiver;
    const deps = {
      times: { ...TIMES, tries: 4 },
      configured: RULES.map(({ id, least, rearm }) => ({
        id,
        ...body(`${url}/${id}`, { when: `settlement_delta >= ${least}`, rearm }),
      })),
    };
    const alive: AlertsEngine[] = [await world.standby(), await world.standby()];
    let led = await world.lead(alive[0] ?? assert.fail(), deps);
    for (let seq = 1; seq <= last; seq++) {
      await led.turn(outputsAt(deltas, seq), seq);
      if (rng.next() >= 0.08) continue;
      if (rng.next() < 0.7) led.engine.node.kill();
      else await led.stop();
      alive.splice(alive.indexOf(led.engine), 1);
      alive.push(await world.standby());
      led = await world.lead(alive[0] ?? assert.fail(), deps);
    }
    // Everything that was published is looked at before the rules say that nothing waits.
    await world.settled(led.alerts.remove('none').catch(() => undefined));
    await world.until('nothing waits', () => led.alerts.list().every(({ waiting }) => waiting === 0));
    for (const rule of RULES) {
      const expected = expectedAlerts(deltas, rule);
      const ids = new Set<string>();
      const inOrder = messages(`/${rule.id}`).filter(({ id }) => !ids.has(id) && ids.add(id));
      assert.deepEqual(
        inOrder.map(({ seq, event_id, value }) => `${seq} ${event_id} ${value}`),
        expected,
      );
      assert.deepEqual(
        inOrder.map(({ n }) => n),
        inOrder.map((_, index) => index + 1),
      );
      const dead = led.alerts.dead(1_000).filter(({ alert }) => alert.rule === `config-${rule.id}`);
      assert.deepEqual(
        dead.map(({ alert }) => alert.n).reverse(),
        inOrder.filter(({ seq }) => isDoomed(seq)).map(({ n }) => n),
      );
    }
    await led.stop();
    for (const { store } of alive) {
      const content = JSON.stringify(contentOf(led.engine.store));
      await world.until('all have the same', () => JSON.stringify(contentOf(store)) === content);
    }
  }

  it('come exactly once after de-duplication, in order, and no dead one is lost, whenever leaders change', async function () {
    this.timeout(240_000);
    await withSeed(run);
  });
});
