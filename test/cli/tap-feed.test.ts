import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../src/cli/program.ts';
import { type FeedServer, startFeed } from '../feed/feed-server.ts';
import { eventually } from '../support/eventually.ts';
import { checkFrame } from '../support/frame-check.ts';
import { postOutput } from '../support/outputs.ts';
import { memoryProcess } from './memory-process.ts';

describe('tallywire tap --url', () => {
  let server: FeedServer;
  let folder: string;
  beforeEach(async () => {
    server = await startFeed();
    folder = await mkdtemp(join(tmpdir(), 'tallywire-tap-'));
  });
  afterEach(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  /** Taps until `count` lines are there, having done `act` once the first is. */
  async function tap(flags: readonly string[], count: number, act: () => Promise<void> = async () => {}) {
    const proc = memoryProcess();
    const ended = runProgram(['tap', '--url', server.url, ...flags], proc);
    const lines = () => proc.texts.stdout.split('\n').slice(0, -1);
    await eventually('it is connected', () => server.feed.figures().connections > 0);
    await act();
    await eventually(`${count} lines come`, () => lines().length >= count);
    proc.signals.emit('SIGTERM');
    assert.equal(await ended, 0, proc.texts.stderr);
    return lines();
  }

  it('prints frames as they come', async () => {
    const lines = await tap(['--channel', 'test'], 3, async () => {
      await eventually('the snapshot is asked for', () => server.feed.figures().sent > 0);
      await server.tick();
      await server.tick();
    });
    for (const line of lines) checkFrame(line);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).type),
      ['snapshot', 'update', 'update'],
    );
  });

  it('goes on where it stopped, with a cursor file', async () => {
    const cursor = join(folder, 'cursor.json');
    const post = (id: string) => server.turn(postOutput({ id, account: 'a' }));
    const flags = ['tweets', '--account', 'account_a', '--key', 'demo_pro', '--cursor', cursor];
    const before = await tap(flags, 2, async () => {
      await eventually('the snapshot is asked for', () => server.feed.figures().sent > 0);
      await post('1');
    });
    await post('2');
    await post('3');
    const after = await tap(flags, 2);
    const kept = JSON.parse(await readFile(cursor, 'utf8'))['tweets/account_a'];
    const said = [...before, ...after].map((line) => JSON.parse(line));
    assert.deepEqual(
      said.map(({ type, key }) => `${type} ${key ?? ''}`),
      ['snapshot ', 'update 1', 'update 2', 'update 3'],
    );
    assert.equal(said.at(-1).data.is_counted, true);
    assert.deepEqual(kept, { epoch: said.at(-1).epoch, seq: said.at(-1).seq });
  });

  it('reports faults of its flags, its key and its file', async () => {
    const fails = async (args: readonly string[], code: number, words: RegExp) => {
      const proc = memoryProcess();
      assert.equal(await runProgram(['tap', ...args], proc), code, args.join(' '));
      assert.match(proc.texts.stderr, words);
    };
    await fails(['posts', '--url', server.url], 2, /no channel posts, expected one of counters, tweets/);
    await fails(['test', '--url', 'nowhere'], 2, /expected an address such as/);
    await fails(['test', '--url', server.url, '--once'], 2, /work on a data folder/);
    await fails(['counters', '--key', 'k'], 2, /need the address of a feed, given with --url/);
    await fails(['--url', server.url], 2, /missing required argument 'stream'/);
    await fails(['test', '--url', server.url, '--key', 'wrong'], 1, /key_invalid/);
    await fails(['signals', '--url', server.url], 1, /tier_too_low/);
    await fails(
      ['tweets', '--url', server.url, '--key', 'demo_pro', '--account', 'zed'],
      1,
      /There is no account "zed" on tweets, expected one of account_a, account_b/,
    );
    const cursor = join(folder, 'cursor.json');
    await writeFile(cursor, 'nonsense');
    await fails(
      ['test', '--url', server.url, '--cursor', cursor],
      1,
      /is not a cursor file; name another one \(TAP_CURSOR\)\n$/,
    );
    await fails(
      ['test', '--url', server.url, '--cursor', folder],
      1,
      /cannot be read: it is a folder, not a file \(TAP_CURSOR\)\n$/,
    );
    const lost = join(folder, 'none', 'cursor.json');
    await fails(
      ['test', '--url', server.url, '--cursor', lost],
      1,
      /cannot keep the cursor: there is no folder \S+ \(TAP_CURSOR\)\n$/,
    );
  });

  it('ends when something else answers at the address', async () => {
    const url = `${server.url}/elsewhere`;
    for (const flags of [[], ['--account', 'account_a']]) {
      const proc = memoryProcess();
      assert.equal(await runProgram(['tap', 'counters', '--url', url, ...flags], proc), 1);
      assert.equal(
        proc.texts.stderr,
        `tallywire: no tallywire answers at ${url}, but something else does (TAP_OTHER_SERVICE)\n`,
      );
    }
  });

  it('says that nothing answers at the address, and goes on trying', async () => {
    const { url } = server;
    await server.stop();
    const proc = memoryProcess();
    const ended = runProgram(['tap', 'counters', '--url', url], proc);
    await eventually('it says so', () => proc.texts.stderr !== '');
    assert.equal(
      proc.texts.stderr,
      `tallywire: nothing answers at ${url}; it is tried again until it does\n`,
    );
    proc.signals.emit('SIGINT');
    assert.equal(await ended, 0);
    server = await startFeed();
  });
});
