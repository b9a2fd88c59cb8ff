import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../src/store/lmdb/open-store.ts';
import type { Store } from '../src/store/store.ts';
import { createRunner, emptyState, type Observation, type Output } from '../streams/internal.ts';
import { type DayOptions, dayOfLog } from './day-of-log.ts';

/** A store in a folder of its own that is removed afterwards. */
export async function withStore(use: (store: Store) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tallywire-bench-'));
  const store = await openStore(folder);
  try {
    await use(store);
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
}

/**
 * Writes the log in blocks of `secondsPerBlock`, as a running engine does with 1, and its outputs, with the
 * extra ones of each observation. Resolves to the number of observations.
 */
export async function fill(
  store: Store,
  options: DayOptions,
  secondsPerBlock: number,
  extraOutputs: (observation: Observation) => readonly Output[] = () => [],
): Promise<number> {
  let seq = 0;
  let block: Observation[] = [];
  const all: Observation[] = [];
  let seconds = 0;
  for (const { at, facts } of dayOfLog(options)) {
    for (const fact of facts) block.push({ seq: ++seq, receivedAt: at, fact });
    if (++seconds % secondsPerBlock !== 0) continue;
    await store.journal.append(block);
    all.push(...block);
    block = [];
  }
  await store.journal.append(block);
  all.push(...block);

  const outputs = [...all.flatMap(createRunner(emptyState()).run), ...all.flatMap(extraOutputs)];
  outputs.sort((a, b) => a.seq - b.seq);
  for (let index = 0; index < outputs.length; ) {
    // An observation's outputs are kept together.
    let end = Math.min(index + 20_000, outputs.length);
    while (end < outputs.length && outputs[end]?.seq === outputs[end - 1]?.seq) end += 1;
    await store.outputs.append(outputs.slice(index, end), outputs[end - 1]?.seq ?? seq);
    index = end;
  }
  return seq;
}
