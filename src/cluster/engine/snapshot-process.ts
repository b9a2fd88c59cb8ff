import { readFileSync, writeSync } from 'node:fs';
import { setPriority } from 'node:os';
import { openStore } from '../../store/lmdb/open-store.ts';
import { encodeSnapshot } from '../entries/snapshot-format.ts';
import { snapshotParts } from './snapshot-contents.ts';
import { snapshotJob } from './snapshot-job.ts';

// Run by take-snapshot.ts in a process of its own, so that the engine goes on meanwhile. Writes the bytes of a snapshot.

const STDIN = 0;
const STDOUT = 1;
const LESS_URGENT = 10;

function writeAll(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(STDOUT, bytes, at);
}

setPriority(LESS_URGENT);
const { folder, ...options } = snapshotJob.parse(JSON.parse(readFileSync(STDIN, 'utf8')));
const store = await openStore(folder, { readOnly: true });
const { upTo } = store.outputs;
// All of it in one turn of the event loop, and so of one state of the store.
for (const chunk of encodeSnapshot(snapshotParts(store, options))) writeAll(chunk);
if (store.outputs.upTo !== upTo) throw new Error('the store changed while it was read');
await store.close();
