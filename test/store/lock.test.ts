import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { extname, join } from 'node:path';
import { isClaimed, lockFolder } from '../../src/store/lock.ts';
import { type Child, startChild } from '../support/child.ts';
import { leaveDeadSocket } from '../support/data-folder.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { withFolder } from '../support/store-records.ts';

const LOCK_PROCESS = new URL(`./lock-process${extname(import.meta.url)}`, import.meta.url);
const RACERS = 20;

interface Attempt {
  readonly folder: string;
  readonly result: string;
  readonly message?: string;
}

const isAttempt = (message: unknown): message is Attempt => typeof message === 'object' && message !== null;

async function withHolders(count: number, use: (holders: readonly Child[]) => Promise<void>): Promise<void> {
  const holders = Array.from({ length: count }, () => startChild(LOCK_PROCESS, []));
  try {
    await Promise.all(holders.map((holder) => holder.firstMessage((message) => message === 'ready')));
    await use(holders);
  } finally {
    for (const holder of holders) holder.process.kill('SIGKILL');
    await Promise.all(holders.map((holder) => holder.ended()));
  }
}

async function tryLock(holder: Child, folder: string): Promise<Attempt> {
  holder.process.send(folder);
  return (await holder.firstMessage((message) => isAttempt(message) && message.folder === folder)) as Attempt;
}

const claimsIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('engine'));

/** Leaves the folders as a killed owner does: with a socket that no process listens on. */
async function leaveStaleLocks(folders: readonly string[]): Promise<void> {
  await withHolders(1, async ([owner]) => {
    assert.ok(owner);
    for (const folder of folders) assert.equal((await tryLock(owner, folder)).result, 'locked');
  });
  for (const folder of folders) assert.equal(claimsIn(folder).length, 1);
}

/** Leaves a socket as a process does that was killed before it showed its claim, and one of an older version. */
async function leaveOtherSockets(folder: string): Promise<void> {
  for (const name of ['engine-1-00.new', 'engine.sock']) await leaveDeadSocket(folder, name);
}

async function race(racers: readonly Child[], folder: string): Promise<void> {
  const attempts = await Promise.all(racers.map((racer) => tryLock(racer, folder)));
  const winner = racers[attempts.findIndex(({ result }) => result === 'locked')];
  const losers = attempts.filter(({ result }) => result !== 'locked');
  assert.equal(losers.length, racers.length - 1);
  for (const { result, message } of losers) {
    assert.equal(result, 'STORE_IN_USE');
    assert.match(message ?? '', new RegExp(`process ${winner?.process.pid}$`));
  }
}

describe('lockFolder', () => {
  it('keeps others out until it is released, and names the process', () =>
    withFolder(async (folder) => {
      const lock = await lockFolder(folder);
      await withHolders(1, async ([other]) => {
        assert.ok(other);
        const { result, message } = await tryLock(other, folder);
        assert.equal(result, 'STORE_IN_USE');
        assert.match(message ?? '', new RegExp(`in use by process ${process.pid}$`));
      });
      await assert.rejects(lockFolder(folder), { code: 'STORE_IN_USE' });
      await lock.release();
      const again = await lockFolder(folder);
      await again.release();
    }));

  it('knows a folder under another spelling', () =>
    withFolder(async (folder) => {
      const real = join(folder, 'real');
      const alias = join(folder, 'alias');
      mkdirSync(real);
      symlinkSync(real, alias);
      const lock = await lockFolder(`${real}/../real/`);
      await assert.rejects(lockFolder(alias), { code: 'STORE_IN_USE' });
      await lock.release();
      await (await lockFolder(alias)).release();
    }));

  it('locks a folder whose path is too long for a socket, whoever has another temporary folder', () =>
    withFolder(async (folder) => {
      const long = join(folder, 'x'.repeat(200));
      const lock = await lockFolder(long);
      await assert.rejects(lockFolder(long), { code: 'STORE_IN_USE' });
      const usual = process.env.TMPDIR;
      process.env.TMPDIR = folder;
      await withHolders(1, async ([other]) => {
        assert.ok(other);
        assert.equal((await tryLock(other, long)).result, 'STORE_IN_USE');
      }).finally(() => {
        if (usual === undefined) delete process.env.TMPDIR;
        else process.env.TMPDIR = usual;
      });
      // Nothing was put into a temporary folder.
      assert.deepEqual(readdirSync(folder), ['x'.repeat(200)]);
      await lock.release();
      await (await lockFolder(long)).release();
    }));

  it('holds the folder itself, also when it gets another name and its files another time', () =>
    withFolder(async (folder) => {
      const [long, moved] = [join(folder, 'x'.repeat(120)), join(folder, 'moved')];
      const lock = await lockFolder(long);
      renameSync(long, moved);
      for (const at of [new Date(0), new Date('2099-01-01')]) {
        for (const name of claimsIn(moved)) utimesSync(join(moved, name), at, at);
        await assert.rejects(lockFolder(moved), { code: 'STORE_IN_USE' });
      }
      await lock.release();
      await (await lockFolder(moved)).release();
    }));

  it('leaves nothing behind: no socket, and no folder that it made', () =>
    withFolder(async (folder) => {
      const lock = await lockFolder(join(folder, 'made', 'below'));
      await assert.rejects(lockFolder(join(folder, 'made', 'below')), { code: 'STORE_IN_USE' });
      await lock.release();
      assert.deepEqual(readdirSync(folder), []);
      const kept = await lockFolder(folder);
      assert.equal(claimsIn(folder).length, 1);
      await kept.release();
      assert.ok(existsSync(folder));
      assert.deepEqual(readdirSync(folder), []);
    }));

  it('closes the folder and what lies in it to others, and tells that it was open', () =>
    withFolder(async (folder) => {
      const data = join(folder, 'data');
      const usual = process.umask(0);
      const made = await lockFolder(data).finally(() => process.umask(usual));
      assert.equal(made.privacy, 'private');
      const names = [data, ...claimsIn(data).map((name) => join(data, name))];
      assert.deepEqual(
        names.map((name) => (statSync(name).mode & 0o077).toString(8)),
        ['0', '0'],
      );
      await made.release();
      const open = join(folder, 'open');
      mkdirSync(open);
      chmodSync(open, 0o755);
      const lock = await lockFolder(open);
      assert.equal(lock.privacy, 'made private');
      assert.equal(statSync(open).mode & 0o777, 0o700);
      await lock.release();
    }));

  it('gives the folder of a killed owner to one of 20, also when others were killed before', function () {
    this.timeout(120_000);
    return withFolder(async (folder) => {
      const folders = ['one', 'two', 'three', 'four'].map((name) => join(folder, name));
      await leaveStaleLocks(folders);
      for (const raced of folders.slice(2)) await leaveOtherSockets(raced);
      await withHolders(RACERS, async (racers) => {
        for (const raced of folders) {
          await race(racers, raced);
          assert.equal(claimsIn(raced).filter((name) => name.endsWith('.sock')).length, 1);
        }
      });
    });
  });

  it('takes a process that only ever hangs up for one that is there, and asks it no more', () =>
    withFolder(async (folder) => {
      let calls = 0;
      const server = createServer((caller) => {
        calls += 1;
        caller.destroy();
      });
      await new Promise<void>((resolve) => server.listen(join(folder, 'engine-1-00.sock'), resolve));
      assert.equal(await isClaimed(folder), true);
      assert.ok(calls > 1 && calls <= 10, `asked ${calls} times`);
      await new Promise((resolve) => server.close(resolve));
    }));

  it('refuses a path that is a file', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'file'), '');
      await assert.rejects(lockFolder(join(folder, 'file')), {
        code: 'STORE_UNWRITABLE',
        message: `cannot lock the data folder ${join(folder, 'file')}: it is a file, not a folder`,
      });
    }));

  it('SKIPPED WHEN NO DISK CAN BE MOUNTED: says that the disk is read-only', async function () {
    const disk = mountSmallDisk('tmpfs', 1);
    if (typeof disk === 'string') return this.skip();
    try {
      disk.makeReadOnly();
      await assert.rejects(lockFolder(join(disk.folder, 'data')), {
        code: 'STORE_UNWRITABLE',
        message: `cannot lock the data folder ${join(disk.folder, 'data')}: its disk is read-only`,
      });
    } finally {
      disk.unmount();
    }
  });
});
