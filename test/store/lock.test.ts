import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { lockFolder } from '../../src/store/lock.ts';
import { type Child, startChild } from '../support/child.ts';
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

/** Leaves the folders as a killed owner does: with a socket that no process listens on. */
async function leaveStaleLocks(folders: readonly string[]): Promise<void> {
  await withHolders(1, async ([owner]) => {
    assert.ok(owner);
    for (const folder of folders) assert.equal((await tryLock(owner, folder)).result, 'locked');
  });
  for (const folder of folders) assert.ok(readdirSync(folder).includes('engine.sock'));
}

/** Leaves a claim as a process does that was killed while it took over. */
function leaveStaleClaim(folder: string): void {
  const claim = join(folder, 'engine.takeover');
  mkdirSync(claim);
  writeFileSync(join(claim, 'owner'), 'someone');
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(claim, longAgo, longAgo);
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

  it('locks a folder whose path is too long for a socket', () =>
    withFolder(async (folder) => {
      const long = join(folder, 'x'.repeat(120));
      const lock = await lockFolder(long);
      await assert.rejects(lockFolder(long), { code: 'STORE_IN_USE' });
      await lock.release();
      await (await lockFolder(long)).release();
    }));

  it('gives the folder of a killed owner to one of 20, also when another was killed taking it over', function () {
    this.timeout(120_000);
    return withFolder(async (folder) => {
      const folders = ['one', 'two', 'three', 'four'].map((name) => join(folder, name));
      await leaveStaleLocks(folders);
      for (const claimed of folders.slice(2)) leaveStaleClaim(claimed);
      await withHolders(RACERS, async (racers) => {
        for (const raced of folders) await race(racers, raced);
      });
    });
  });

  it('refuses a path that is a file', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'file'), '');
      await assert.rejects(lockFolder(join(folder, 'file')), { code: 'STORE_UNWRITABLE' });
    }));
});
