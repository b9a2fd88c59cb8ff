import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { replaceEnvironment } from '../../src/store/lmdb/replace-environment.ts';
import { lockFolder } from '../../src/store/lock.ts';
import { sendToParent } from '../support/child.ts';
import { addKey, addTurn, joinWaitlist } from './interrupted-store.ts';

// Does one thing to a data folder, and tells its parent what is done: that must outlive every kill.
const [act = '', folder = ''] = process.argv.slice(2);
const { CALLS_TOLD } = process.env;

function tell(what: string): void {
  if (CALLS_TOLD !== undefined) appendFileSync(CALLS_TOLD, `${what}\n`);
  sendToParent(what);
}

async function withLock(use: () => Promise<void>): Promise<void> {
  const lock = await lockFolder(folder);
  try {
    await use();
  } finally {
    await lock.release();
  }
}

/** A start of the service, as far as the folder goes. */
async function start(): Promise<void> {
  await withLock(async () => {
    const store = await openStore(folder);
    for (const add of [joinWaitlist, addKey, addTurn]) {
      await add(store);
      tell(add.name);
    }
    await store.close();
  });
}

async function backUp(): Promise<void> {
  const store = await openStore(folder, { readOnly: true });
  await store.backup(join(folder, 'backups', 'second'));
  tell('copied');
  await store.close();
}

/** What a change of the layout does: all that is there goes into a new environment, which differs. */
async function replace(): Promise<void> {
  await withLock(async () => {
    await replaceEnvironment(folder, 'db.before', async (path) => {
      const options = { overlappingSync: false, noSubdir: false, maxDbs: 64 };
      const before = open({ ...options, path: join(folder, 'db'), readOnly: true });
      await before.backup(path, false);
      await before.close();
      const after = open({ ...options, path });
      await after.openDB({ name: 'later' }).put('a', 'b');
      await after.close();
    });
    tell('replaced');
  });
}

const acts: Readonly<Record<string, () => Promise<void>>> = { start, backUp, replace };
await acts[act]?.();
tell('done');
process.disconnect();
