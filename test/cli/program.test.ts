import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../../src/cli/program.ts';
import { temporaryFolder } from '../research/small-log.ts';
import { memoryProcess } from './memory-process.ts';

const COMMANDS = ['start', 'world', 'replay', 'tap', 'backup'];

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const run = (...args: string[]) => runWith({}, ...args);

async function runWith(env: Record<string, string>, ...args: string[]): Promise<Run> {
  const proc = { ...memoryProcess(), env };
  const code = await runProgram(args, proc);
  assert.equal(proc.signals.listenerCount('SIGTERM'), 0);
  return { code, ...proc.texts };
}

describe('runProgram', () => {
  for (const args of [[], ...COMMANDS.map((name) => [name])]) {
    it(`shows a manual page for ${['tallywire', ...args].join(' ')}`, async () => {
      const { code, stdout, stderr } = await run(...args, '--help');
      assert.deepEqual([code, stderr], [0, '']);
      for (const title of ['NAME', 'USAGE', 'OPTIONS', 'EXAMPLES', 'EXIT CODES']) {
        assert.match(stdout, new RegExp(`^${title}\\b`, 'm'));
      }
    });
  }

  it('names every command, default and variable', async () => {
    const { stdout } = await run('--help');
    for (const name of COMMANDS) assert.match(stdout, new RegExp(`^ {2}${name} `, 'm'));
    const start = await run('start', '--help');
    assert.match(start.stdout, /default:\s+8080,\s+env:\s+TALLYWIRE_PORT or PORT/);
    assert.match(start.stdout, /TALLYWIRE_POSTS_TOKEN/);
    assert.doesNotMatch(start.stdout, /--posts-token/);
  });

  const misuses: [args: string[], pattern: RegExp][] = [
    [[], /USAGE/],
    [['frobnicate'], /^tallywire: unknown command 'frobnicate'\n$/],
    [['start', 'now'], /^tallywire: arguments: expected options only, found 'now'\n$/],
    [
      ['start', '--port', '70000'],
      /^tallywire: --port: expected an integer from 0 to 65535, found '70000'\n$/,
    ],
    [['tap'], /^tallywire: missing required argument 'stream'\n$/],
    [['tap', 'nothing'], /^tallywire: there is no stream nothing, expected one of posts, .*counters/],
    [['tap', 'freshness'], /^tallywire: freshness changes every second and is not kept/],
    [['tap', 'spot', '--account', 'a'], /^tallywire: spot has no accounts/],
    [['tap', 'posts', '--from', 'then'], /expected now or seq:/],
    [['tap', 'prices', '--event', 'x'], /expected the number of an event/],
    [['replay', '--verify', '--from', 'seq:1'], /cannot be used with/],
    [['replay', '--simulate', 'some'], /expected a whole number, or all/],
    [['replay', '--simulate', '1.5'], /expected a whole number, or all/],
    [['replay', '--speed', '-1'], /expected a number above 0/],
    [['replay', '--from', 'dawn'], /expected seq:N, a time/],
    [['replay', '--stream', 'nothing'], /there is no stream nothing/],
    [['world', '--start', 'dawn'], /expected a time/],
    [['world', '--accounts', '0'], /expected a number from 1 to 1000/],
    [['start', '--world', 'live', '--speed', '60'], /only the embedded world can be made faster/],
    [['world', '--world', 'live'], /unknown option '--world'/],
    [['backup'], /required option '--to <folder>'/],
  ];
  for (const [args, pattern] of misuses) {
    it(`refuses ${['tallywire', ...args].join(' ')} with 2`, async () => {
      const { code, stdout, stderr } = await run(...args);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, pattern);
    });
  }

  it('lists unknown flags and unknown arguments with every other fault of a start', async () => {
    const env = { TALLYWIRE_PROT: '3', TALLYWIRE_SEED: 'x', PORT: 'zz' };
    const args = ['start', '--prt', '3', '--foo', '--posts-token=s3cret', 'now', '-x', '-1', '--', 'then'];
    const { code, stdout, stderr } = await runWith(env, ...args);
    assert.deepEqual([code, stdout], [2, '']);
    assert.deepEqual(stderr.split('\n').toSorted(), [
      '',
      'tallywire: --foo: unknown setting',
      'tallywire: --posts-token: unknown setting',
      'tallywire: --prt: unknown setting, did you mean --port',
      'tallywire: -x: unknown setting',
      "tallywire: PORT: expected an integer from 0 to 65535, found 'zz'",
      'tallywire: TALLYWIRE_PROT: unknown setting, did you mean TALLYWIRE_PORT',
      "tallywire: TALLYWIRE_SEED: expected an integer from 0 to 4294967295, found 'x'",
      "tallywire: arguments: expected options only, found 'now'",
      "tallywire: arguments: expected options only, found 'then'",
    ]);
  });

  it('shows the manual page of start whatever else was given', async () => {
    const { code, stdout } = await run('start', '--foo', '--help');
    assert.equal(code, 0);
    assert.match(stdout, /^NAME/);
  });

  it('reports a missing store with exit code 1, and creates none', async () => {
    const folder = temporaryFolder();
    try {
      const to = join(folder.path, 'copy');
      for (const args of [['replay', '--verify'], ['replay'], ['tap', 'posts'], ['backup', '--to', to]]) {
        const { code, stdout, stderr } = await run(...args, '--data', folder.path);
        assert.deepEqual([code, stdout], [1, '']);
        assert.equal(
          stderr,
          `tallywire: there is no store in ${folder.path}; name the folder of an engine, or begin one with \`tallywire start\` (STORE_MISSING)\n`,
        );
      }
      assert.deepEqual(readdirSync(folder.path), []);
    } finally {
      folder.remove();
    }
  });
});
