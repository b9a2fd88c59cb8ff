import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Database, Key } from 'lmdb';
import { openPlain, openRoot } from '../../src/store/lmdb/environment.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { openSocketFolder } from '../../src/store/socket-folder.ts';
import type { KeptKey, WaitlistEntry } from '../../src/store/store.ts';
import { ticks } from './store-records.ts';

export const KEY: KeptKey = {
  id: 'k',
  hash: 'h',
  tier: 'PRO',
  name: 'n',
  limit: null,
  createdAt: 1,
  lastUsedAt: null,
  revokedAt: null,
};

export const ENTRY: WaitlistEntry = {
  type: 'human',
  useCase: 'watch',
  name: null,
  wallet: null,
  email: 'a@example.test',
};

/** A store with three observations. */
export async function makeStore(folder: string): Promise<void> {
  const store = await openStore(folder);
  await store.journal.append(ticks(1, 3));
  await store.close();
}

/** Changes rows as they lie on the disk, in a way that no store would. */
export async function changeRows(
  folder: string,
  change: (database: (name: string) => Database<string | Buffer, Key>) => void,
): Promise<void> {
  const root = openRoot(join(folder, 'db'), false);
  try {
    change((name) => {
      const database = openPlain(root, name);
      assert.ok(database);
      return database;
    });
  } finally {
    await root.close();
  }
}

/** Both of LMDB's first pages are lost but for the mark of its files, as after a disk fault, and everything with them. */
export function breakStore(folder: string): void {
  const bytes = Buffer.alloc(16_384, 0xa5);
  bytes.writeUInt32LE(0xbeefc0de, 24);
  writeFileSync(join(folder, 'db', 'data.mdb'), bytes);
}

/** Leaves a socket as a process does that was killed: nobody listens on it. */
export async function leaveDeadSocket(folder: string, name: string): Promise<void> {
  const sockets = openSocketFolder(folder);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(sockets.pathOf('listening'), resolve));
  // A server that is closed removes its socket only under the name that it knows.
  renameSync(join(folder, 'listening'), join(folder, name));
  await new Promise((resolve) => server.close(resolve));
  sockets.close();
}
