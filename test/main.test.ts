import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { LAYOUT } from '../src/store/lmdb/environment.ts';
import { openStore } from '../src/store/lmdb/open-store.ts';
import { type Ended, runMain, startMain } from './cli/run-main.ts';
import { temporaryFolder } from './research/small-log.ts';
import { checkedFetch } from './support/answer-check.ts';
import { eventually } from './support/eventually.ts';

/** One sentence that begins with our name, and no trace of a stack. */
function assertOneSentence({ code, stdout, stderr }: Ended, pattern: RegExp): void {
  assert.equal(code, 1, stderr);
  assert.equal(stdout, '');
  const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
  assert.equal(lines.length, 1, stderr);
  assert.match(lines[0] ?? '', /^tallywire: /);
  assert.match(lines[0] ?? '', pattern);
}

describe('tallywire', function () {
  this.timeout(120_000);
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  it('prints its version', async () => {
    const { code, stdout } = await runMain(['--version']);
    assert.equal(code, 0);
    assert.equal(stdout, `${JSON.parse(readFileSync('package.json', 'utf8')).version}\n`);
  });

  it('shows a manual page and refuses what it does not know', async () => {
    const [page, refusal] = await Promise.all([
      runMain(['start', '--help']),
      runMain(['start', '--prot', '5']),
    ]);
    assert.deepEqual([page.code, page.stderr], [0, '']);
    assert.match(page.stdout, /^NAME\n {2}tallywire start - /);
    assert.deepEqual([refusal.code, refusal.stdout], [2, '']);
    assert.equal(refusal.stderr, 'tallywire: --prot: unknown setting, did you mean --port\n');
  });

  it('lists every fault of a configuration, one per line, and touches nothing', async () => {
    const file = join(folder.path, 'config.json');
    writeFileSync(file, '{"hots": "x", "retentionDays": 1}');
    const data = join(folder.path, 'data');
    const { code, stdout, stderr } = await runMain(['start', '--config', file, '--port', 'x'], {
      TALLYWIRE_DATA: data,
      TALLYWIRE_SEAD: '1',
      TALLYWIRE_WORLD: 'live',
      TALLYWIRE_POSTS_FROM: 'timeline',
    });
    assert.deepEqual([code, stdout], [2, '']);
    assert.deepEqual(
      stderr.split('\n').toSorted(),
      [
        '',
        "tallywire: --port: expected an integer from 0 to 65535, found 'x'",
        'tallywire: TALLYWIRE_POSTS_TOKEN: expected the app token of the posts API, as posts are read from the live timeline',
        'tallywire: TALLYWIRE_SEAD: unknown setting, did you mean TALLYWIRE_SEED',
        `tallywire: ${file}:1:15: retentionDays: expected an integer from 2 to 3650, found 1`,
        `tallywire: ${file}:1:2: hots: unknown setting, did you mean host`,
      ].toSorted(),
    );
    assert.equal(existsSync(data), false);
  });

  describe('start', () => {
    const start = (data: string, ...more: string[]) => [
      'start',
      '--data',
      data,
      '--port',
      '0',
      '--history-days',
      '1',
      ...more,
    ];

    it('prints its address, serves, keeps its folder to itself, and stops on request', async () => {
      const data = join(folder.path, 'data');
      const { child, line, ended } = startMain(start(data, '--json'));
      const { type, url } = JSON.parse(await line());
      assert.equal(type, 'listening');
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
      assert.deepEqual(Object.keys(JSON.parse(await line())), [
        'type',
        'world',
        'data',
        'accounts',
        'isDemo',
      ]);
      const meta = async () => (await checkedFetch(`${url}/api/v1/meta/account_a`)).status;
      await eventually('the events are known', async () => (await meta()) === 200);
      assertOneSentence(await runMain(start(data)), /is in use by process \d+/);
      child.kill('SIGTERM');
      const { code, stdout } = await ended;
      assert.equal(code, 0);
      assert.equal(stdout.trimEnd().split('\n').at(-1), '{"type":"stopped"}');
    });

    it('prints the same in two plain lines', async () => {
      const { child, line, ended } = startMain(start(join(folder.path, 'data')));
      assert.match(await line(), /^tallywire is running at http:\/\/127\.0\.0\.1:\d+$/);
      assert.match(await line(), /^world embedded.*, data in .*, accounts account_a, account_b$/);
      child.kill('SIGINT');
      const { code, stdout } = await ended;
      assert.equal(code, 0);
      assert.deepEqual(stdout.trimEnd().split('\n').slice(-2), [
        'tallywire is stopping',
        'tallywire has stopped',
      ]);
    });

    it('tells when the history is read, and of each new post when asked', async () => {
      const more = ['--json', '--show-posts', '--speed', '60'];
      const { child, line, ended } = startMain(start(join(folder.path, 'data'), ...more));
      const missing = new Set(['listening', 'running', 'post']);
      const facts: Record<string, unknown>[] = [];
      while (missing.size > 0) {
        const fact = JSON.parse(await line());
        missing.delete(fact.type);
        facts.push(fact);
      }
      const post = facts.at(-1);
      assert.ok(['a', 'b'].includes(String(post?.account)));
      assert.ok(Number(post?.createdAt) > 0);
      child.kill('SIGTERM');
      assert.equal((await ended).code, 0);
    });

    it('refuses a folder it cannot write to', async () => {
      const data = join(folder.path, 'file');
      writeFileSync(data, 'no folder');
      assertOneSentence(await runMain(start(data)), /data folder|not a folder/);
      assert.equal(readFileSync(data, 'utf8'), 'no folder');
    });

    it('refuses a folder of a newer layout and leaves it as it is', async () => {
      const store = await openStore(folder.path);
      await store.close();
      const { open } = await import('lmdb');
      const root = open({ path: join(folder.path, 'db'), encoding: 'string' });
      const meta = root.openDB<string, string>({ name: 'meta', encoding: 'string' });
      await meta.put('layout', '99');
      await root.close();
      const before = readFileSync(join(folder.path, 'db', 'data.mdb'));
      assertOneSentence(
        await runMain(start(folder.path)),
        new RegExp(`has layout 99, expected layout ${LAYOUT} \\(STORE_LAYOUT\\)$`),
      );
      assert.deepEqual(readFileSync(join(folder.path, 'db', 'data.mdb')), before);
    });

    it('refuses a taken port and makes no folder', async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      assert.ok(typeof address === 'object' && address !== null);
      const data = join(folder.path, 'data');
      try {
        const ended = await runMain(['start', '--data', data, '--port', String(address.port)]);
        assertOneSentence(
          ended,
          new RegExp(
            `port ${address.port} on .* is taken by another program; .--port 0. takes any free one \\(START_PORT_TAKEN\\)$`,
          ),
        );
      } finally {
        server.close();
      }
      assert.equal(existsSync(data), false);
    });
  });

  describe('world', () => {
    it('prints its address, has the accounts of the configuration and stops on request', async () => {
      const config = join(folder.path, 'accounts.json');
      writeFileSync(config, JSON.stringify({ accounts: [{ id: 'c' }, { id: 'b' }] }));
      const args = ['--port', '0', '--json', '--start', '2026-01-31', '--config', config];
      const { child, line, ended } = startMain(['world', ...args]);
      const { type, url } = JSON.parse(await line());
      assert.equal(type, 'listening');
      const { type: next, accounts } = JSON.parse(await line());
      assert.deepEqual([next, accounts.length], ['addresses', 3]);
      assert.equal((await fetch(`${url}/control/addresses`)).status, 200);
      child.kill('SIGINT');
      assert.equal((await ended).code, 0);
    });
  });
});
