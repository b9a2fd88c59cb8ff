import assert from 'node:assert/strict';
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { temporaryFolder } from '../research/small-log.ts';
import { runInMemory } from './run-in-memory.ts';
import type { Ended } from './run-main.ts';

const MAIN = fileURLToPath(new URL('../../program/main.js', import.meta.url));
const SETPRIV = '/usr/bin/setpriv';

/** Every command that reads a data folder and changes nothing there. */
const READING: readonly (readonly string[])[] = [
  ['replay'],
  ['replay', '--verify'],
  ['tap', 'posts', '--once'],
  ['export', 'posts'],
  ['backtest'],
  ['backup', '--to', 'no-such-folder/x'],
  ['keys', 'list'],
  ['alerts', 'list'],
  ['alerts', 'dead'],
  ['payments', 'list'],
];
const WRITING: readonly (readonly string[])[] = [
  ['start', '--port', '0'],
  ['keys', 'create', '--tier', 'PRO'],
  ['keys', 'revoke', 'x'],
  ['alerts', 'remove', 'x'],
  ['doctor', '--repair'],
];

/** Root may do everything: without these two rights it is bound by those of files, as anybody else is. */
function runBound(args: readonly string[]): Pick<SpawnSyncReturns<string>, 'status' | 'stdout' | 'stderr'> {
  const program = [process.execPath, MAIN, ...args];
  const bound = [SETPRIV, '--bounding-set=-dac_override,-dac_read_search', ...program];
  const [command = '', ...rest] = process.getuid?.() === 0 ? bound : program;
  return spawnSync(command, rest, { encoding: 'utf8' });
}

function assertSentence({ code, stderr }: Omit<Ended, 'stdout'>, sentence: RegExp, what: string): void {
  assert.equal(code, 1, what);
  assert.match(stderr, sentence, what);
  assert.equal(stderr.split('\n').length, 2, what);
  assert.doesNotMatch(stderr, /\bE[A-Z]{3,}\b/, what);
}

describe('a data folder that cannot be used', function () {
  this.timeout(120_000);
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  it('is told to be missing, and what to do', async () => {
    const missing = join(folder.path, 'missing');
    for (const args of READING) {
      assertSentence(
        await runInMemory([...args, '--data', missing]),
        /missing: there is no such folder; name the folder of an engine, or begin one with `tallywire start` \(STORE_MISSING\)\n$/,
        args.join(' '),
      );
    }
    assert.ok(!existsSync(missing));
  });

  it('is told to be that of an edge', async () => {
    mkdirSync(join(folder.path, 'shards'));
    for (const args of READING) {
      assertSentence(
        await runInMemory([...args, '--data', folder.path]),
        /: it is that of an edge, which keeps only copies; name that of an engine \(STORE_MISSING\)\n$/,
        args.join(' '),
      );
    }
  });

  it('is told to be damaged when its file is none of a database, and the process does not end by that', async () => {
    mkdirSync(join(folder.path, 'db'));
    for (const bytes of [Buffer.alloc(65_536, 'no database'), Buffer.alloc(65_536), Buffer.from('short')]) {
      writeFileSync(join(folder.path, 'db', 'data.mdb'), bytes);
      for (const args of READING) {
        assertSentence(
          await runInMemory([...args, '--data', folder.path]),
          /data\.mdb does not begin as one of a database does; `tallywire doctor --data \S+` tells what can be saved \(STORE_CORRUPT\)\n$/,
          args.join(' '),
        );
      }
      const { code, stdout } = await runInMemory(['doctor', '--data', folder.path]);
      assert.equal(code, 1);
      assert.match(stdout, /damaged so that it cannot be opened\n.*does not begin as one of a database does/);
    }
  });

  describe('by this user', () => {
    before(function () {
      const isBound = process.getuid?.() !== 0 || existsSync(SETPRIV);
      assert.ok(isBound || process.env.CI !== 'true', `${SETPRIV} is missing`);
      if (!isBound) this.skip();
    });
    beforeEach(async () => {
      await (await openStore(folder.path)).close();
    });
    afterEach(() => chmodSync(folder.path, 0o700));

    it('is told to be closed to them', () => {
      chmodSync(folder.path, 0o000);
      for (const args of [
        ['keys', 'list'],
        ['keys', 'create', '--tier', 'PRO'],
        ['tap', 'posts', '--once'],
        ['doctor'],
      ]) {
        const { status, stderr } = runBound([...args, '--data', folder.path]);
        assertSentence(
          { code: status, stderr },
          /^tallywire: this user may not look into the data folder \S+: run this as the user who runs the engine \(STORE_UNREADABLE\)\n$/,
          args.join(' '),
        );
      }
    });

    it('is read without a right to write', () => {
      chmodSync(folder.path, 0o500);
      for (const args of [
        ['keys', 'list'],
        ['alerts', 'list'],
        ['payments', 'list'],
      ]) {
        const { status, stdout, stderr } = runBound([...args, '--data', folder.path]);
        assert.deepEqual([status, stderr], [0, '']);
        assert.match(stdout, /^There are no /);
      }
    });

    it('is told to be closed to what they write', () => {
      chmodSync(folder.path, 0o500);
      for (const args of WRITING) {
        const { status, stderr } = runBound([...args, '--data', folder.path]);
        assertSentence(
          { code: status, stderr },
          /: this user may not write there; run this as the user whose folder it is \(STORE_UNWRITABLE\)\n$/,
          args.join(' '),
        );
      }
    });
  });
});
