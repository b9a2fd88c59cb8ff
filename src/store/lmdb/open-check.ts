import { StoreError } from '../../errors.ts';
import { guardCommits } from './commit.ts';
import { provesDamage } from './damage.ts';
import { openEnvironment } from './environment.ts';
import { EXIT_DAMAGED } from './write-probe.ts';

// Run by write-probe.ts in a process of its own, on a copy of a store: writes to it until the pages that are free in it
// have been used, and ends with 0 if that works.

const WRITES = 40;
const LONGEST_ROW = 200_000;

const [path] = process.argv.slice(2);
if (path === undefined) throw new RangeError('open-check needs the folder of an environment');
guardCommits();
try {
  const environment = await openEnvironment(path, { isReadOnly: false, path });
  const { durable, root, notes, journal, latest, feed, usage } = environment;
  for (let write = 1; write <= WRITES; write++) {
    const text = 'x'.repeat((LONGEST_ROW * write) / WRITES);
    const begin = () =>
      root.batch(() => {
        void notes.put('probe', text);
        void journal.put(Number.MAX_SAFE_INTEGER - write, text.slice(0, 1_000));
        void latest.put(['probe', String(write)], text.slice(0, 1_000));
        void feed.put(['probe', write], text.slice(0, 1_000));
        void usage.put(['probe', 'minute', write], text.slice(0, 1_000));
      });
    await durable(begin, 'a probe', { rows: 5, bytes: text.length + 4_000 });
    await durable(() => notes.remove('probe'), 'a probe', { rows: 1, bytes: 0 });
  }
  await environment.close();
} catch (error) {
  const isDamage = error instanceof StoreError ? /CORRUPT|BROKEN/.test(error.code) : provesDamage(error);
  if (!isDamage) throw error;
  process.exit(EXIT_DAMAGED);
}
