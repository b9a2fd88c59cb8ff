import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../src/cli/program.ts';
import { openWorld } from '../../src/world/world.ts';
import { memoryProcess } from './memory-process.ts';

describe('tallywire accounts', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tallywire-accounts-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function runWith(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
    const proc = { ...memoryProcess(), env };
    const code = await runProgram(['accounts', ...args], proc);
    return { code, ...proc.texts };
  }
  const run = (...args: readonly string[]) => runWith({}, ...args);
  async function configFile(content: unknown): Promise<string> {
    const path = join(folder, 'config.json');
    await writeFile(path, JSON.stringify(content));
    return path;
  }

  it('lists the accounts of the configuration as a table', async () => {
    const accounts = [
      { id: 'a' },
      { id: 'b' },
      {
        id: 'mayor',
        segment: 'mayor',
        name: 'The Mayor',
        handle: 'the_mayor',
        polling: { slowestSeconds: 60 },
        staleSeconds: { posts: 90 },
      },
    ];
    const { code, stdout } = await run('list', '--config', await configFile({ accounts }));
    assert.equal(code, 0);
    assert.deepEqual(stdout.split('\n'), [
      'ID     SEGMENT    NAME       HANDLE            LOOKS EVERY  POSTS STALE AFTER  HAS',
      'a      account_a  Account A  account_a_handle  1 s          10 s               velocity, sizing, rebalancing',
      'b      account_b  Account B  account_b_handle  1 s          10 s               buy-only',
      'mayor  mayor      The Mayor  the_mayor         1 to 60 s    90 s               velocity, sizing, rebalancing',
      '',
    ]);
  });

  it('lists all that is configured as JSON lines', async () => {
    const { stdout } = await run('list', '--accounts', '3', '--json');
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ type, id, segment, prior }) => [type, id, segment, prior]),
      [
        ['account', 'a', 'account_a', null],
        ['account', 'b', 'account_b', null],
        ['account', 'c', 'account_c', null],
      ],
    );
  });

  it('shows what is known of made-up accounts and of live ones without asking anybody', async () => {
    const accounts = [{ id: 'b' }, { id: 'second', handle: 'ACCOUNT_C_HANDLE' }];
    const cells = (text: string) => text.split('\n').map((line) => line.split(/ {2,}/).slice(3, 6));
    const madeUp = await run('list', '--config', await configFile({ accounts }));
    assert.deepEqual(cells(madeUp.stdout).slice(1, 3), [
      ['account_b_handle', '1 s', '10 s'],
      ['ACCOUNT_C_HANDLE', '1 s', '10 s'],
    ]);
    const config = await configFile({
      accounts: [{ id: 'a' }, { id: 'c' }, { id: 'd', postsFrom: 'oracle_list' }],
    });
    const live = await runWith(
      { TALLYWIRE_POSTS_TOKEN: 'secret' },
      'list',
      '--world',
      'live',
      '--config',
      config,
    );
    const rows = cells(live.stdout).slice(1, 4);
    assert.deepEqual(
      rows.map(([, everyS, staleS]) => [everyS, staleS]),
      [
        ['1 s', '10 s'],
        ['21 s', '600 s'],
        ['21 s', '600 s'],
      ],
    );
    assert.equal(new Set(rows.map(([handle]) => handle)).size, 3);
    const remote = await run('list', '--world', 'http://127.0.0.1:1');
    assert.deepEqual(cells(remote.stdout)[1], ['-', '1 s', '10 s']);
  });

  it('finds in the embedded world what a start would refuse', async () => {
    const check = async (...accounts: object[]) => run('check', '--config', await configFile({ accounts }));
    const unknown = await check({ id: 'a' }, { id: 'mayor', handle: 'the_mayor' });
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /account mayor has no platform, .*; the world has a \(account_a_handle\)/);
    const same = await check({ id: 'a' }, { id: 'c', handle: 'account_a_handle' });
    assert.equal(same.code, 1);
    assert.match(same.stderr, /account c has the handle account_a_handle of account a/);
    assert.equal((await check({ id: 'a' }, { id: 'c', handle: 'account_z_handle' })).code, 0);
  });

  it('reports every fault of the file at once, each with its place', async () => {
    const config = await configFile({
      prt: 1,
      postsSeconds: 0,
      accounts: [
        { id: 'a', segment: 'x y' },
        { id: 'a', polcy: {}, polling: { slowestSeconds: 'often' }, postsFrom: 'elsewhere' },
      ],
    });
    const { code, stderr } = await run('check', '--config', config);
    assert.equal(code, 2);
    assert.deepEqual(stderr.trim().split('\n'), [
      `tallywire: ${config}:1:2: prt: unknown setting, did you mean port`,
      `tallywire: ${config}:1:10: postsSeconds: expected an integer from 1 to 86400, found 0`,
      `tallywire: ${config}:1:49: accounts[0].segment: expected up to 64 letters, digits, _ and -, and not crypto, found 'x y'`,
      `tallywire: ${config}:1:76: accounts[1].polcy: unknown setting, did you mean policy`,
      `tallywire: ${config}:1:98: accounts[1].polling.slowestSeconds: expected an integer from 1 to 3600, found 'often'`,
      `tallywire: ${config}:1:124: accounts[1].postsFrom: expected one of timeline, oracle_list, found 'elsewhere'`,
      `tallywire: ${config}:1:67: accounts[1].id: expected another id than that of account a, found 'a'`,
    ]);
  });

  describe('of the live world', () => {
    const env = { TALLYWIRE_POSTS_TOKEN: 'secret' };
    const accounts = [
      { id: 'a' },
      { id: 'b', polling: { usualSeconds: 10, slowestSeconds: 60 } },
      { id: 'c' },
    ];

    it('tells what each account takes of the posts API at most, and how often the oracle is asked', async () => {
      const config = await configFile({ accounts });
      const { code, stdout } = await runWith(env, 'check', '--world', 'live', '--config', config);
      assert.equal(code, 0);
      assert.deepEqual(stdout.split('\n'), [
        '3 accounts, nothing wrong with them in the world live, which was not asked',
        '',
        'SEGMENT    POSTS FROM   REQUESTS A DAY   IN 15 MINUTES  READS A POST  USD PER 100 POSTS',
        'account_a  timeline     86,400           up to 900      up to 15      up to 7.50',
        'account_b  timeline     1,440 to 86,400  up to 900      up to 15      up to 7.50',
        'account_c  oracle list  -                -              -             -',
        '',
        'All timelines together take up to 1,800 requests in 15 minutes, of 10,000 that the posts API allows.',
        'The oracle is asked in turns: each of its counts is read about every 10 s.',
        '',
      ]);
    });

    it('tells that the posts API costs nothing without a token', async () => {
      const { stdout } = await runWith({}, 'check', '--world', 'live', '--json');
      const { cost } = JSON.parse(stdout);
      assert.equal(cost.limitPer15Minutes, null);
      assert.deepEqual(
        cost.accounts.map(({ via, requestsPerDay }: Record<string, unknown>) => [via, requestsPerDay]),
        [
          ['oracle_list', 0],
          ['oracle_list', 0],
        ],
      );
    });
  });

  it('asks the world for each account', async () => {
    const world = await openWorld({ seed: 3 });
    try {
      const known = await run('check', '--world', world.url);
      assert.deepEqual(
        [known.code, known.stdout],
        [0, `2 accounts, nothing wrong with them in the world ${world.url}\n`],
      );
      const config = await configFile({ accounts: [{ id: 'a' }, { id: 'nobody' }] });
      const unknown = await run('check', '--world', world.url, '--config', config);
      assert.equal(unknown.code, 1);
      assert.match(unknown.stderr, /account nobody has no handle, .*; the world has a \(/);
      const json = await run('check', '--json');
      assert.deepEqual(JSON.parse(json.stdout), { type: 'checked', accounts: 2, world: 'embedded' });
    } finally {
      await world.close();
    }
  });
});
