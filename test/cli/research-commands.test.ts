import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { KEPT_STREAMS } from '../../streams/internal.ts';
import { computed, keptLines, record, turnsOf, withStore } from '../research/small-log.ts';
import { runInMemory } from './run-in-memory.ts';
import { runMain, startMain } from './run-main.ts';

const lastOf = (text: string) => text.trimEnd().split('\n').at(-1) ?? '';

describe('tallywire replay', function () {
  this.timeout(120_000);

  it('verifies a folder, also while it is open for writing', () =>
    withStore(async (store, folder) => {
      await record(store, { seconds: 30 });
      const { code, stdout } = await runMain(['replay', '--data', folder, '--verify']);
      assert.equal(code, 0);
      assert.match(stdout, /^posts +\d+ {2}[0-9a-f]{64}$/m);
      assert.match(
        lastOf(stdout),
        /^identical: seq 1 to \d+, \d+ latest values, 3 checkpoints, 0 simulations$/,
      );
    }));

  it('gives the verdict as JSON', () =>
    withStore(async (store, folder) => {
      await record(store, { seconds: 30 });
      const { code, stdout } = await runInMemory(['replay', '--data', folder, '--verify', '--json']);
      const verdict = JSON.parse(stdout);
      assert.deepEqual([code, verdict.type, verdict.difference], [0, 'identical', null]);
      assert.deepEqual(
        verdict.streams.map(({ stream }: { stream: string }) => stream),
        KEPT_STREAMS,
      );
    }));

  it('shows the first difference and exits with 1', () =>
    withStore(async (store, folder) => {
      await record(store, {
        seconds: 30,
        outputs: ({ outputs }) =>
          outputs.filter(({ stream, at }) => stream !== 'velocity' || at % 10_000 !== 0),
      });
      const { code, stdout } = await runInMemory(['replay', '--data', folder, '--verify']);
      assert.equal(code, 1);
      assert.match(
        stdout,
        /^different: velocity at seq \d+\n {2}kept {8}nothing\n {2}recomputed {2}\{"stream"/,
      );
    }));

  it('prints what the folder keeps', () =>
    withStore(async (store, folder) => {
      await record(store, { seconds: 30 });
      const { code, stdout } = await runInMemory(['replay', '--data', folder, '--stream', 'counters']);
      assert.equal(code, 0);
      assert.deepEqual(stdout.trimEnd().split('\n'), keptLines(store, 'counters'));
      const both = ['--stream', 'posts', '--stream', 'lag', '--from', 'seq:20', '--to', 'seq:60'];
      const range = await runInMemory(['replay', '--data', folder, ...both]);
      const expected = keptLines(store, 'posts', 'lag').filter((line) => {
        const { seq } = JSON.parse(line);
        return seq >= 20 && seq < 60;
      });
      assert.deepEqual(range.stdout.trimEnd().split('\n').toSorted(), expected.toSorted());
    }));

  it('ends with 0 when its reader closes the pipe', () =>
    withStore(async (store, folder) => {
      await record(store, { seconds: 300 });
      const { child, line, ended } = startMain([
        'replay',
        '--data',
        folder,
        '--stream',
        'freshness',
        '--speed',
        '1000',
      ]);
      await line();
      child.stdout?.destroy();
      const { code, stderr } = await ended;
      assert.deepEqual([code, stderr], [0, '']);
    }));
});

describe('a command on a part of the log', function () {
  this.timeout(120_000);

  it('says what of it lies outside the log, and where that begins and ends', () =>
    withStore(async (store, folder) => {
      await record(store, { seconds: 30 });
      const last = store.journal.head;
      const log = `the log has seq 1 \\(2026-01-05T00:00:\\S+Z\\) to seq ${last} \\(2026-01-05T00:00:\\S+Z\\)`;
      const cases = [
        [['replay', '--from', `seq:${last + 5}`], `the range begins after the log ends: ${log}`],
        [['backtest', '--from', '2027-01-01'], `the range begins after the log ends: ${log}`],
        [['replay', '--to', '2025-01-01'], `the range ends before the log begins: ${log}`],
        [['replay', '--from', '2025-01-01', '--to', 'seq:9'], `the range begins before the log does: ${log}`],
        [['replay', '--stream', 'failures'], `there is no output of failures in this range; ${log}`],
        [['tap', 'failures', '--once'], `there is no value of failures that passes; ${log}`],
        [
          ['export', 'failures', '--format', 'csv', '--output', join(folder, 'empty.csv')],
          `there is no row of failures in this range; ${log}`,
        ],
      ] as const;
      for (const [args, sentence] of cases) {
        const { code, stderr } = await runInMemory([...args, '--data', folder]);
        assert.equal(code, 0, stderr);
        assert.match(stderr, new RegExp(`^tallywire: ${sentence}\n`), args.join(' '));
        assert.equal(stderr.match(/the log has/g)?.length, 1, stderr);
      }
    }));

  it('refuses a beginning for values of now', async () => {
    const { code, stderr } = await runInMemory([
      'tap',
      'posts',
      '--once',
      '--from',
      'seq:1',
      '--data',
      'any',
    ]);
    assert.deepEqual(
      [code, stderr],
      [2, "tallywire: option '--from <moment>' cannot be used with option '--once'\n"],
    );
  });

  it('refuses a range that ends before it begins', () =>
    withStore(async (store, folder) => {
      await record(store, { seconds: 3 });
      const range = ['--from', '2026-01-06', '--to', '2026-01-05'];
      for (const args of [['replay'], ['export', 'posts'], ['backtest', '--posts', 'none.csv']]) {
        const data = args[0] === 'backtest' ? [] : ['--data', folder];
        const { code, stderr } = await runInMemory([...args, ...data, ...range]);
        assert.deepEqual(
          [code, stderr],
          [2, 'tallywire: nothing lies between --from and --to: the first has to be less\n'],
        );
      }
    }));

  it('says that a file or a folder is not there, in words', async () => {
    const cases = [
      [
        ['backtest', '--posts', 'none.csv'],
        /^tallywire: none\.csv cannot be read: there is no such file or folder \(BACKTEST_FILE\)\n$/,
      ],
      [
        ['backtest', '--posts', 'src'],
        /^tallywire: src cannot be read: it is a folder, not a file \(BACKTEST_FILE\)\n$/,
      ],
      [
        ['doctor', '--data', 'package.json'],
        /: there is no store in package\.json: it is a file, not a folder \(STORE_MISSING\)\n$/,
      ],
      [
        ['start', '--data', 'package.json'],
        /: cannot lock the data folder package\.json: it is a file, not a folder \(STORE_UNWRITABLE\)\n$/,
      ],
      [['replay', '--data', 'no-folder-here'], /^tallywire: .*no-folder-here.* \(STORE_MISSING\)\n$/],
      [['tap', 'posts', '--data', 'no-folder-here'], /^tallywire: .*no-folder-here.* \(STORE_MISSING\)\n$/],
      [
        ['backup', '--data', 'no-folder-here', '--to', 'x'],
        /^tallywire: .*no-folder-here.* \(STORE_MISSING\)\n$/,
      ],
      [['doctor', '--data', 'no-folder-here'], /^tallywire: .*no-folder-here.* \(STORE_MISSING\)\n$/],
      [['keys', 'list', '--data', 'no-folder-here'], /^tallywire: .*no-folder-here.* \(STORE_MISSING\)\n$/],
      ...[
        ['keys', 'list'],
        ['alerts', 'list'],
        ['payments', 'list'],
        ['replay'],
        ['tap', 'posts'],
        ['export', 'posts'],
        ['backtest'],
        ['backup', '--to', 'x'],
      ].map(
        (args) =>
          [
            [...args, '--data', 'package.json'],
            /^tallywire: there is no store in package\.json: it is a file, not a folder \(STORE_MISSING\)\n$/,
          ] as const,
      ),
    ] as const;
    for (const [args, words] of cases) {
      const { code, stderr } = await runInMemory(args);
      assert.equal(code, 1, stderr);
      assert.match(stderr, words);
      assert.doesNotMatch(stderr, /\bE[A-Z]{3,}\b/);
    }
  });
});

describe('tallywire tap', function () {
  this.timeout(120_000);

  it('prints outputs that are written while it runs', () =>
    withStore(async (store, folder) => {
      await record(store, { seconds: 10 });
      const { child, line, ended } = startMain(['tap', 'posts', '--data', folder, '--from', 'seq:1']);
      for (const kept of keptLines(store, 'posts')) assert.equal(await line(), kept);
      const before = keptLines(store, 'posts').length;
      for (const { observations, outputs } of [...computed(turnsOf(14))].slice(10)) {
        await store.journal.append(observations);
        await store.outputs.append(outputs, observations.at(-1)?.seq ?? 0);
      }
      for (const kept of keptLines(store, 'posts').slice(before)) assert.equal(await line(), kept);
      child.kill('SIGINT');
      assert.equal((await ended).code, 0);
    }));

  it('prints the latest values once', () =>
    withStore(async (store, folder) => {
      await record(store, { seconds: 10 });
      const { code, stdout } = await runInMemory([
        'tap',
        'velocity',
        '--once',
        '--account',
        'account_b',
        '--data',
        folder,
      ]);
      assert.equal(code, 0);
      assert.equal(JSON.parse(stdout).record.account, 'b');
    }));

  it('knows accounts that are no longer configured, and no others', () =>
    withStore(async (store, folder) => {
      await record(store, { seconds: 10 });
      const tapOf = (account: string) =>
        runInMemory(['tap', 'velocity', '--once', '--accounts', '1', '--account', account, '--data', folder]);
      assert.equal(JSON.parse((await tapOf('b')).stdout).record.account, 'b');
      const { code, stderr } = await tapOf('zed');
      assert.equal(code, 2);
      assert.match(stderr, /unknown account zed, expected one of a, account_a, b\n$/);
    }));
});

describe('tallywire backup', function () {
  this.timeout(120_000);

  it('copies a folder that is in use', () =>
    withStore(async (store, folder) => {
      await record(store, { seconds: 10 });
      const to = join(folder, 'backups', 'one');
      const { code, stdout } = await runMain(['backup', '--data', folder, '--to', to]);
      assert.deepEqual([code, stdout], [0, `copied ${folder} to ${to}\n`]);
      const copy = await openStore(to, { readOnly: true });
      assert.equal(copy.journal.head, store.journal.head);
      assert.deepEqual(keptLines(copy, ...KEPT_STREAMS), keptLines(store, ...KEPT_STREAMS));
      await copy.close();
    }));

  it('refuses a target that is not empty', () =>
    withStore(async (store, folder) => {
      await record(store, { seconds: 3 });
      const to = join(folder, 'db');
      writeFileSync(join(to, 'mine.txt'), 'mine');
      const before = readdirSync(to);
      const { code, stderr } = await runInMemory(['backup', '--data', folder, '--to', to]);
      assert.deepEqual(
        [code, stderr],
        [1, `tallywire: cannot back up into ${to}: it is not empty (STORE_BACKUP)\n`],
      );
      assert.deepEqual(readdirSync(to), before);
    }));
});
