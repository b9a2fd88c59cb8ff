import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { lockFolder } from '../../src/store/lock.ts';
import { type Child, startChild } from '../support/child.ts';
import { withFolder } from '../support/store-records.ts';

const HOLDER = new URL(`./holder${extname(import.meta.url)}`, import.meta.url);
const RACERS = 20;

async function startHolder(folder: string): Promise<Child> {
  const child = startChild(HOLDER, [folder]);
  await child.heard((message) => message === 'ready');
  return child;
}

async function tryLock(child: Child): Promise<unknown> {
  child.process.send('go');
  return child.heard((message) => message !== 'ready');
}

async function kill(child: Child): Promise<void> {
  child.process.kill('SIGKILL');
  await child.ended();
}

/** Leaves the folder as a killed owner does: with a socket nobody listens on. */
async function leaveStaleLock(folder: string): Promise<void> {
  const owner = await startHolder(folder);
  assert.equal(await tryLock(owner), 'locked');
  await kill(owner);
  assert.ok(readdirSync(folder).includes('engine.sock'));
}

async function race(folder: string): Promise<void> {
  const racers = await Promise.all(Array.from({ length: RACERS }, () => startHolder(folder)));
  try {
    const results = await Promise.all(racers.map(tryLock));
    const winner = racers[results.indexOf('locked')];
    const losers = results.filter((result) => result !== 'locked');
    assert.equal(losers.length, RACERS - 1);
    for (const loser of losers) {
      assert.equal((loser as { code: string }).code, 'STORE_IN_USE');
      assert.match((loser as { message: string }).message, new RegExp(`process ${winner?.process.pid}$`));
    }
  } finally {
    await Promise.all(racers.map(kill));
  }
}

describe('lockFolder', () => {
  it('keeps others out until it is released, and names the process', () =>
    withFolder(async (folder) => {
      const lock = await lockFolder(folder);
      const other = await startHolder(folder);
      const answer = await tryLock(other);
      assert.equal((answer as { code: string }).code, 'STORE_IN_USE');
      assert.match((answer as { message: string }).message, new RegExp(`in use by process ${process.pid}$`));
      await assert.rejects(lockFolder(folder), { code: 'STORE_IN_USE' });
      await lock.release();
      const again = await lockFolder(folder);
      await again.release();
      await kill(other);
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

  it('gives the folder of a killed owner to exactly one of 20 processes', function () {
    this.timeout(30_000);
    return withFolder(async (folder) => {
      await leaveStaleLock(folder);
      await race(folder);
    });
  });

  it('does so too when another was killed while it took over', function () {
    this.timeout(30_000);
    return withFolder(async (folder) => {
      await leaveStaleLock(folder);
      const claim = join(folder, 'engine.takeover');
      mkdirSync(claim);
      writeFileSync(join(claim, 'owner'), '1');
      const longAgo = new Date(Date.now() - 60_000);
      utimesSync(claim, longAgo, longAgo);
      await race(folder);
    });
  });

  it('refuses a path that is a file', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'file'), '');
      await assert.rejects(lockFolder(join(folder, 'file')), { code: 'STORE_UNWRITABLE' });
    }));
});
