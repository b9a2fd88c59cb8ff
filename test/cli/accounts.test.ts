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

  async function run(...args: readonly string[]) {
    const proc = memoryProcess();
    const code = await runProgram(['accounts', ...args], proc);
    return { code, ...proc.texts };
  }
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
      'ID     SEGMENT    NAME       HANDLE     LOOKS EVERY  POSTS STALE AFTER  HAS',
      'a      account_a  Account A  -          1 s          10 s               velocity, sizing, rebalancing',
      'b      account_b  Account B  -          1 s          10 s               buy-only',
      'mayor  mayor      The Mayor  the_mayor  1 to 60 s    90 s               velocity, sizing, rebalancing',
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

  it('reports every fault of the list at once', async () => {
    const config = await configFile({
      accounts: [
        { id: 'a', segment: 'x y' },
        { id: 'a', polcy: {} },
      ],
    });
    const { code, stderr } = await run('check', '--config', config);
    assert.equal(code, 2);
    assert.deepEqual(stderr.trim().split('\n'), [
      "tallywire: config file: accounts[0].segment: expected up to 64 letters, digits, _ and -, and not crypto, found 'x y'",
      'tallywire: config file: accounts[1].polcy: unknown setting, did you mean policy',
      "tallywire: config file: accounts[1].id: expected another id than that of account a, found 'a'",
    ]);
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
      assert.match(unknown.stderr, /account nobody has no userId, handle, .*; the world has a \(/);
      const json = await run('check', '--json');
      assert.deepEqual(JSON.parse(json.stdout), { type: 'checked', accounts: 2, world: 'embedded' });
    } finally {
      await world.close();
    }
  });
});
