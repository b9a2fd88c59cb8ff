import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Alerts } from '../../src/alerts/alerts.ts';
import { ruleRow } from '../../src/alerts/stored-rules.ts';
import { type ConfigInput, parseConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/engine/clock.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { openAccess } from '../../src/service/access.ts';
import { openConfiguredAlerts } from '../../src/service/alerts.ts';
import { thisMachine } from '../../src/service/machine.ts';
import { createShutdown } from '../../src/service/shutdown.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { lockFolder } from '../../src/store/lock.ts';
import { CLUSTER_NOTE } from '../../src/store/store.ts';
import { createLatest } from '../../src/views/latest.ts';
import { alertRule } from '../alerts/rules.ts';
import { openStage } from '../support/service.ts';
import { runInMemory } from './run-in-memory.ts';

const RULE = {
  account: 'account_a',
  when: 'settlement_delta >= 2',
  url: 'https://bot.example/alerts?token=hidden',
};

describe('tallywire alerts', () => {
  let folder: string;
  let data: string;
  const alerts = (...args: readonly string[]) => runInMemory(['alerts', ...args, '--data', data]);
  const add = (fields: Readonly<Record<string, string>> = {}, ...more: readonly string[]) =>
    alerts(
      'add',
      ...Object.entries({ ...RULE, ...fields }).flatMap(([name, text]) => [`--${name}`, text]),
      ...more,
    );
  const list = async () => {
    const { code, stdout, stderr } = await alerts('list', '--json');
    assert.equal(code, 0, stderr);
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tallywire-alerts-'));
    data = join(folder, 'data');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** What an engine holds of the folder, as far as alerts go. They are open unless `isStarting`. */
  async function engine({
    isStarting = false,
    file = {},
  }: {
    isStarting?: boolean;
    file?: ConfigInput['file'];
  } = {}) {
    const config = parseConfig({ flags: { data }, env: {}, file });
    const log = pino({ level: 'silent' });
    const shutdown = createShutdown();
    const lock = await lockFolder(data);
    shutdown.add(() => lock.release());
    const store = await openStore(data);
    shutdown.add(() => store.close());
    let opened: Alerts | undefined;
    const { tierOf } = await openAccess(
      {
        config,
        store,
        clock: systemClock,
        sinceBoot: systemClock.sinceBoot,
        isStandIn: false,
        alerts: () => opened,
        log,
      },
      shutdown,
    );
    if (!isStarting) {
      opened = await openConfiguredAlerts(
        {
          config,
          stored: store.alerts,
          outputs: store.outputs,
          latest: createLatest(store.outputs),
          clock: systemClock,
          machine: thisMachine,
          tierOf,
          metrics: createMetrics(),
          log,
        },
        shutdown,
      );
    }
    return { stop: shutdown.run };
  }

  /** Runs `use` beside an engine. */
  async function besideEngine(
    use: () => Promise<void>,
    options: Parameters<typeof engine>[0] = {},
  ): Promise<void> {
    const running = await engine(options);
    try {
      await use();
    } finally {
      await running.stop();
    }
  }

  it('makes, lists and removes rules of a whole service, which keeps them over a restart', async function () {
    this.timeout(120_000);
    const stage = await openStage({ startAt: Date.parse('2026-11-04T15:00:00Z'), historyDays: 1 });
    data = stage.data;
    try {
      const made = await add({ name: 'ahead', rearm: '0', cooldown: '5' });
      assert.equal(made.code, 0, made.stderr);
      assert.match(made.stdout, /^ID +OWNER +ACCOUNT .*\n\w{8} +operator +account_a .*\nwhsec_\S+\n$/);
      const before = await list();
      assert.deepEqual(
        before.map(({ name, when, target }) => [name, when, target]),
        [['ahead', RULE.when, 'webhook bot.example']],
      );
      await stage.restart();
      const [kept] = await list();
      assert.equal(kept.id, before[0].id);
      assert.equal((await alerts('remove', kept.id)).code, 0);
      assert.deepEqual(await list(), []);
    } finally {
      await stage.close();
    }
  });

  it('shows the secret of a webhook once, and its address never', () =>
    besideEngine(async () => {
      const made = await add();
      assert.equal(made.code, 0, made.stderr);
      assert.match(made.stderr, /shown this once/);
      const asJson = JSON.parse((await add({}, '--once', '--json')).stdout);
      assert.match(asJson.secret, /^whsec_/);
      const chat = await add({ target: 'telegram', chat: '-5' });
      assert.deepEqual([chat.code, chat.stderr], [0, '']);
      const shown = [await alerts('list'), await alerts('list', '--json')];
      for (const { stdout } of [...shown, made, chat]) assert.doesNotMatch(stdout, /hidden/);
      for (const { stdout } of shown) assert.doesNotMatch(stdout, /whsec_/);
      assert.equal((await list()).length, 3);
    }));

  it('lists rules of the config file, which are removed there', () =>
    besideEngine(
      async () => {
        assert.deepEqual(
          (await list()).map(({ id, owner }) => [id, owner]),
          [['config-x', 'config']],
        );
        const { code, stderr } = await alerts('remove', 'config-x');
        assert.deepEqual(
          [code, stderr],
          [1, 'tallywire: The rule is in the config file: remove it there (ALERTS_REFUSED)\n'],
        );
        assert.equal((await list()).length, 1);
      },
      {
        file: {
          alerts: [
            {
              id: 'x',
              account: RULE.account,
              when: RULE.when,
              target: { type: 'discord', url: 'https://chat.example/1' },
            },
          ],
        },
      },
    ));

  it('says what is wrong with a rule that the engine refuses', () =>
    besideEngine(async () => {
      const refused: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
        [
          { when: 'nothing > 1' },
          /^tallywire: when: expected a figure, one of > >= < <= == !=, and a number \(ALERTS_REFUSED\)\n$/,
        ],
        [{ when: 'edge above 1' }, /^tallywire: when: expected a figure/],
        [{ account: 'nobody' }, /^tallywire: account: .*'account_a'.*'account_b'/],
        [
          { url: 'http://127.0.0.1:9/' },
          /^tallywire: target\.url: .*nothing is delivered to private addresses \(ALERTS_REFUSED\)\n$/,
        ],
        [{ url: 'http://[::1]/' }, /private addresses/],
        [{ url: 'http://10.0.0.7/' }, /private addresses/],
        [{ url: 'ftp://bot.example/' }, /^tallywire: target\.url: expected an http or https address/],
        [{ target: 'telegram' }, /^tallywire: target\.chat: expected the chat \(ALERTS_REFUSED\)\n$/],
        [
          { chat: '-5' },
          /^tallywire: target\.chat: only a target of type telegram has it \(ALERTS_REFUSED\)\n$/,
        ],
        [
          { bucket: '0-19' },
          /^tallywire: bucket: settlement_delta is a figure of the event \(ALERTS_REFUSED\)\n$/,
        ],
        [{ rearm: '3' }, /^tallywire: rearm: expected a number where the condition does not hold/],
      ];
      for (const [fields, message] of refused) {
        const { code, stdout, stderr } = await add(fields);
        assert.deepEqual([code, stdout], [1, ''], JSON.stringify(fields));
        assert.match(stderr, message);
      }
      const two = await add({ account: 'nobody', url: 'http://127.0.0.1/' });
      assert.match(two.stderr, /^tallywire: account: .*; target\.url: .* \(ALERTS_REFUSED\)\n$/);
      const unread = await add({ when: 'edge', url: 'bot.example' });
      assert.match(unread.stderr, /^tallywire: when: .*; target\.url: .* \(ALERTS_REFUSED\)\n$/);
      assert.deepEqual(await list(), []);
      const unknown = await alerts('remove', 'nobody');
      assert.deepEqual(
        [unknown.code, unknown.stderr],
        [1, 'tallywire: There is no such rule (ALERTS_REFUSED)\n'],
      );
    }));

  it('is refused by an engine that has no alerts yet', () =>
    besideEngine(
      async () => {
        for (const { code, stderr } of [await add(), await alerts('list'), await alerts('remove', 'x')]) {
          assert.equal(code, 1);
          assert.match(
            stderr,
            /^tallywire: this engine has no alerts yet, as it starts: try again \(ALERTS_CLOSED\)\n$/,
          );
        }
      },
      { isStarting: true },
    ));

  it('lists and removes rules in the folder of a stopped engine, where none can be made', async () => {
    await besideEngine(async () => {
      for (const when of ['edge >= 0.1', 'p50 > 100']) assert.equal((await add({ when })).code, 0);
    });
    const [first, second] = await list();
    assert.deepEqual([first.alerts, first.waiting, first.dead], [0, 0, 0]);
    assert.deepEqual([first.when, second.when].sort(), ['edge >= 0.1', 'p50 > 100']);
    const removed = await alerts('remove', first.id);
    assert.deepEqual([removed.code, removed.stdout], [0, `rule ${first.id} is removed\n`], removed.stderr);
    const again = await alerts('remove', first.id);
    assert.deepEqual(
      [again.code, again.stderr],
      [1, `tallywire: there is no rule ${first.id} that could be removed here (ALERTS_REFUSED)\n`],
    );
    const made = await add();
    assert.equal(made.code, 1);
    assert.match(
      made.stderr,
      /^tallywire: no engine runs on the folder: start it, then add the rule \(ALERTS_CLOSED\)\n$/,
    );
    assert.deepEqual(await list(), [second]);
    assert.equal((await alerts('dead')).stdout, 'There are no dead alerts.\n');
    await besideEngine(async () => {
      assert.deepEqual(
        (await list()).map(({ id }) => id),
        [second.id],
      );
    });
  });

  it('removes what a rule has not delivered with it', async () => {
    const store = await openStore(data);
    const rows = (['waiting', 'dead'] as const).map((kind) => ({
      place: [kind, 'r', 1] as const,
      text: '{}',
    }));
    await store.alerts.write({ put: [ruleRow(alertRule('edge > 1')), ...rows], remove: [] });
    await store.close();
    const [rule] = await list();
    assert.deepEqual([rule.waiting, rule.dead], [1, 1]);
    assert.equal((await alerts('remove', 'r')).code, 0);
    const after = await openStore(data, { readOnly: true });
    for (const kind of ['rule', 'waiting', 'dead'] as const) assert.deepEqual(after.alerts.rows(kind), []);
    await after.close();
  });

  it('changes nothing in the folder of an engine of a cluster, as the others would not know', async () => {
    const store = await openStore(data);
    await store.alerts.write({ put: [ruleRow(alertRule('edge > 1'))], remove: [] });
    await store.notes.set(CLUSTER_NOTE, '{}');
    await store.close();
    for (const { code, stderr } of [await add(), await alerts('remove', 'r')]) {
      assert.equal(code, 1);
      assert.match(
        stderr,
        /^tallywire: .* is the folder of an engine of a cluster: start that engine, .* \(ALERTS_OF_CLUSTER\)\n$/,
      );
    }
    assert.deepEqual(
      (await list()).map(({ id }) => id),
      ['r'],
    );
  });

  it('makes no folder', async () => {
    for (const { code } of [
      await add(),
      await alerts('list'),
      await alerts('remove', 'x'),
      await alerts('dead'),
    ])
      assert.equal(code, 1);
    assert.equal(existsSync(data), false);
  });

  it('refuses what makes no sense as bad usage', async () => {
    const wrong = [
      ['add', '--account', 'account_a', '--url', RULE.url],
      ['add', '--account', 'account_a', '--when', RULE.when],
      ['add', '--when', RULE.when, '--url', RULE.url],
      ['remove'],
      ['destroy'],
    ];
    for (const args of wrong) assert.equal((await alerts(...args)).code, 2, args.join(' '));
    const fields: readonly Readonly<Record<string, string>>[] = [
      { target: 'pigeon' },
      { event: 'x' },
      { rearm: '' },
      { cooldown: 'Infinity' },
    ];
    for (const each of fields) assert.equal((await add(each)).code, 2, JSON.stringify(each));
    assert.equal(existsSync(data), false);
  });
});
