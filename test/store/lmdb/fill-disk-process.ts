import assert from 'node:assert/strict';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../../../src/errors.ts';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { sendToParent } from '../../support/child.ts';
import { ticks, velocityAt } from '../../support/store-records.ts';

// Fills the disk under the folder to the last byte, reads on, makes space, writes on.
const [folder = ''] = process.argv.slice(2);
const MEGABYTE = 1024 * 1024;
const store = await openStore(folder, { reserveBytes: MEGABYTE });

async function codeOf(write: Promise<void>): Promise<string> {
  try {
    await write;
    return 'written';
  } catch (error) {
    return error instanceof StoreError ? error.code : String(error);
  }
}

const codes = new Set<string>();
const settle = async (write: Promise<void>) => codes.add(await codeOf(write)).has('STORE_FULL');
const appendSome = () => store.journal.append(ticks(store.journal.head + 1, 500));
const filler = join(folder, 'filler');

/** Others take what is free, to the last byte. */
function fill(): void {
  const { bavail, bsize } = statfsSync(folder);
  for (let bytes = bavail * bsize; bytes > 0; bytes = Math.floor(bytes / 2)) {
    try {
      writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' });
    } catch (error) {
      assert.equal(Object(error).code, 'ENOSPC');
    }
  }
}

await settle(appendSome());
fill();
while (!(await settle(appendSome()))) {
  const { head } = store.journal;
  await settle(store.outputs.append([velocityAt(head)], head));
}

const { head } = store.journal;
const { upTo } = store.outputs;
const large = ticks(upTo + 1, 20_000).map(({ seq }) => velocityAt(seq));
for (let attempt = 0; attempt < 5; attempt++) {
  await settle(appendSome());
  // Two writers at once that both fail.
  await Promise.all([
    settle(store.outputs.append(large, upTo + large.length)),
    settle(store.notes.set('long', 'x'.repeat(9_000_000))),
    settle(store.checkpoints.save({ seq: 1, at: 1, graphVersion: 1, state: JSON.stringify(large) })),
  ]);
  assert.equal([...store.journal.read(1)].length, store.journal.head);
  assert.equal(store.outputs.upTo, upTo);
  assert.equal([...store.outputs.read('velocity', upTo + 1)].length, 0);
}
const headWhenFull = store.journal.head;

// What is kept back is enough to stop in order and to start again.
store.allowReserve(true);
const last = await codeOf(appendSome());
await store.close();
const full = await openStore(folder, { reserveBytes: MEGABYTE });
const refused = await codeOf(full.journal.append(ticks(full.journal.head + 1, 500)));
assert.equal([...full.journal.read(1)].length, full.journal.head);

rmSync(filler);
const recovered = await codeOf(full.journal.append(ticks(full.journal.head + 1, 500)));
await full.outputs.append([velocityAt(full.journal.head)], full.journal.head);
await full.close();

const again = await openStore(folder);
assert.equal(JSON.stringify([...again.journal.read(1)]), JSON.stringify(ticks(1, again.journal.head)));
const kept = again.journal.head;
await again.close();
sendToParent({
  codes: [...codes].sort(),
  last,
  refused,
  recovered,
  head,
  headWhenFull,
  kept,
  listeners: process.listenerCount('unhandledRejection'),
});
process.disconnect();
