import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../../../src/errors.ts';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { sendToParent } from '../../support/child.ts';
import { ticks, velocityAt } from '../../support/store-records.ts';

// Fills the disk under the folder, reads on, makes space, writes on. Any stray rejection would end it.
const [folder = ''] = process.argv.slice(2);
const ballast = join(folder, 'ballast');
writeFileSync(ballast, Buffer.alloc(7_000_000));
const store = await openStore(folder);

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

rmSync(ballast);
const recovered = await codeOf(appendSome());
await store.outputs.append([velocityAt(store.journal.head)], store.journal.head);
await store.close();

const again = await openStore(folder);
assert.equal(JSON.stringify([...again.journal.read(1)]), JSON.stringify(ticks(1, again.journal.head)));
const kept = again.journal.head;
await again.close();
sendToParent({
  codes: [...codes].sort(),
  recovered,
  head,
  headWhenFull,
  kept,
  listeners: process.listenerCount('unhandledRejection'),
});
process.disconnect();
