import { provesDamage } from './damage.ts';
import { openEnvironment } from './environment.ts';
import { EXIT_DAMAGED } from './write-probe.ts';

// Run by write-probe.ts in a process of its own, on a copy of a store: writes to it until the pages that are free in it
// have been used, and ends with 0 if that works.

const WRITES = 40;
const LONGEST_ROW = 200_000;

const [path] = process.argv.slice(2);
if (path === undefined) throw new RangeError('open-check needs the folder of an environment');
try {
  const environment = await openEnvironment(path, { isReadOnly: false, path });
  const { notes, journal, latest } = environment;
  for (let write = 1; write <= WRITES; write++) {
    const text = 'x'.repeat((LONGEST_ROW * write) / WRITES);
    await notes.put('probe', text);
    await journal.put(Number.MAX_SAFE_INTEGER - write, text.slice(0, 1_000));
    await latest.put(['probe', String(write)], text.slice(0, 1_000));
    await notes.remove('probe');
  }
  await environment.close();
} catch (error) {
  if (!provesDamage(error)) throw error;
  process.exit(EXIT_DAMAGED);
}
