import assert from 'node:assert/strict';
import { pino } from 'pino';
import type { Bus } from '../../src/bus/bus.ts';
import { realTime } from '../../src/bus/time.ts';
import { answerCommands } from '../../src/cluster/commands/answer-commands.ts';
import { createAskEngine } from '../../src/cluster/commands/ask-engine.ts';
import { createRemoteRules } from '../../src/cluster/commands/remote-rules.ts';
import { parseConfig } from '../../src/config/config.ts';
import { alertBody } from '../../src/contract/alert-rule.ts';
import { InvalidRequest } from '../../src/contract/validation/validate.ts';
import { systemClock } from '../../src/engine/clock.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { leadAlerts } from '../../src/service/leader-alerts.ts';
import { thisMachine } from '../../src/service/machine.ts';
import { runOnLeader } from '../../src/service/remote-alert-commands.ts';
import { createShutdown, type Shutdown } from '../../src/service/shutdown.ts';
import { createLatest } from '../../src/views/latest.ts';
import type { BusUnderTest } from '../bus/contract.ts';
import { openSimulatedBus } from '../support/bus/simulated-bus.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';

const rule = (account: string, url = 'https://bot.example/alerts') =>
  alertBody.parse({ account, when: 'settlement_delta >= 2', target: { type: 'webhook', url } });

const segmentsOf = (rules: readonly { readonly account: string }[]) => rules.map(({ account }) => account);

// Two shards of one account each, which an edge serves together.
describe('the rules of several shards, asked for elsewhere', () => {
  let under: BusUnderTest;
  let shutdown: Shutdown;
  let edge: Bus;
  const owners = new Map([
    ['account_a', 'one'],
    ['account_b', 'two'],
  ]);

  async function lead(shard: string, account: string, isOpen = true): Promise<void> {
    const { bus } = await under.settled(under.join());
    const config = parseConfig({ flags: { accounts: '2' }, env: {} });
    const store = createMemoryStore();
    let place = 0;
    const alerts = leadAlerts(
      {
        config: { ...config, accounts: config.accounts.filter(({ id }) => id === account) },
        store,
        latest: createLatest(),
        clock: systemClock,
        machine: thisMachine,
        metrics: createMetrics(),
        log: pino({ level: 'silent' }),
        publishing: { access: { append: async () => ++place, applied: () => undefined } },
        isHeld: () => true,
      },
      shutdown,
    );
    const answer = () => assert.fail('nothing else is asked for');
    const stop = answerCommands({
      bus,
      shard,
      time: realTime,
      now: Date.now,
      answer,
      callers: undefined,
      alerts,
    });
    shutdown.add(async () => stop());
    if (isOpen) await alerts.open(() => 'PRO');
  }

  let ids = 0;
  const ask = () => createAskEngine(edge.commands, realTime);
  const rules = () =>
    createRemoteRules({
      ask: ask(),
      newId: () => `c${++ids}`,
      shards: ['one', 'two'],
      accounts: [{ segment: 'account_a' }, { segment: 'account_b' }],
      shardOf: (segment) => owners.get(segment),
    });
  const operate = (shard: string, command: Parameters<typeof runOnLeader>[2]) =>
    under.settled(runOnLeader(ask(), { shard, id: `c${++ids}` }, command));

  beforeEach(() => {
    under = openSimulatedBus(1);
    shutdown = createShutdown();
  });
  afterEach(async () => {
    await shutdown.run();
    await under.close();
  });

  async function open(): Promise<void> {
    await lead('one', 'a');
    await lead('two', 'b');
    edge = (await under.settled(under.join('edge'))).bus;
  }

  it('are made where their account is, listed together, and removed wherever they are', async () => {
    await open();
    const [b, a] = [
      await under.settled(rules().add('k1', rule('account_b'))),
      await under.settled(rules().add('k1', rule('account_a'))),
    ];
    assert.match(b.secret ?? '', /^whsec_/);
    const listed = await under.settled(rules().list('k1'));
    assert.deepEqual(segmentsOf(listed).sort(), ['account_a', 'account_b']);
    assert.ok(listed.every((each) => !('secret' in each)));
    assert.deepEqual(await under.settled(rules().list('k2')), []);
    assert.deepEqual(await under.settled(rules().dead('k1', 5)), []);
    await assert.rejects(under.settled(rules().remove('k2', b.id)), { code: 'alert_unknown', status: 404 });
    await under.settled(rules().remove('k1', b.id));
    assert.deepEqual(
      (await under.settled(rules().list('k1'))).map(({ id }) => id),
      [a.id],
    );
  });

  it('are refused as on one machine', async () => {
    await open();
    await assert.rejects(under.settled(rules().add('k1', rule('nobody'))), (error: unknown) => {
      assert.ok(error instanceof InvalidRequest);
      assert.match(error.faults[0]?.msg ?? '', /'account_a', 'account_b'/);
      return true;
    });
    await assert.rejects(
      under.settled(rules().add('k1', rule('account_a', 'http://127.0.0.1/'))),
      InvalidRequest,
    );
    for (let n = 0; n < 50; n++) await under.settled(rules().add('k1', rule('account_a')));
    await assert.rejects(under.settled(rules().add('k1', rule('account_a'))), { code: 'alerts_full' });
    await under.settled(rules().add('k2', rule('account_a')));
  });

  it('are an answer of 503 while an engine has not opened them', async () => {
    await lead('one', 'a');
    await lead('two', 'b', false);
    edge = (await under.settled(under.join('edge'))).bus;
    await under.settled(rules().add('k1', rule('account_a')));
    await assert.rejects(under.settled(rules().list('k1')), { code: 'engine_unavailable', status: 503 });
    await assert.rejects(operate('two', { op: 'alerts', do: 'list' }), { code: 'ALERTS_CLOSED' });
  });

  it('are those of an operator too, who asks any engine of a shard', async () => {
    await open();
    const { rules: made, secret } = await operate('one', {
      op: 'alerts',
      do: 'add',
      rule: rule('account_a'),
    });
    assert.match(secret ?? '', /^whsec_/);
    await under.settled(rules().add('k1', rule('account_a')));
    const { rules: all } = await operate('one', { op: 'alerts', do: 'list' });
    assert.deepEqual(all.map(({ owner }) => owner).sort(), ['key k1', 'operator']);
    const id = made[0]?.id ?? '';
    await assert.rejects(operate('two', { op: 'alerts', do: 'remove', id }), { code: 'ALERTS_REFUSED' });
    await operate('one', { op: 'alerts', do: 'remove', id });
    assert.equal((await operate('one', { op: 'alerts', do: 'list' })).rules.length, 1);
    assert.deepEqual((await operate('one', { op: 'alerts', do: 'dead' })).dead, []);
  });
});
