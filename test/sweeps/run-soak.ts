import { parseArgs } from 'node:util';
import { growthOf, type SoakRow, soak } from './soak.ts';

/**
 * `node build/test/sweeps/run-soak.js 120 [seed] [file] [--accounts 200] [--embedded] [--requests 24] [--sockets 17]
 * [--streams 3] [--data folder]`: so many minutes; each adds a line of JSON to the file. The stand-in world is a process of
 * its own unless it is to be embedded. With a data folder it goes on with what an earlier start has read.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    accounts: { type: 'string', default: '2' },
    embedded: { type: 'boolean', default: false },
    requests: { type: 'string', default: '24' },
    sockets: { type: 'string', default: '17' },
    streams: { type: 'string', default: '3' },
    data: { type: 'string' },
  },
});
const [given = '120', givenSeed, file] = positionals;
const minutes = Number(given);
const numberOf = (name: 'accounts' | 'requests' | 'sockets' | 'streams', least: number) => {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value >= least) return value;
  throw new RangeError(`--${name} takes a whole number from ${least} on, was ${values[name]}`);
};
const accounts = numberOf('accounts', 1);
const seed = Number(givenSeed ?? Math.trunc(Math.random() * 2 ** 31));
if (!(minutes > 0)) throw new RangeError(`expected a number of minutes, was ${given}`);
const report = (line: string) => process.stdout.write(`${line}\n`);
report(`seed ${seed}`);
const rows = await soak({
  durationMs: minutes * 60_000,
  rowMs: 60_000,
  lookMs: 5_000,
  historyDays: undefined,
  accounts,
  isEmbedded: values.embedded,
  requestsPerSecond: numberOf('requests', 1),
  sockets: numberOf('sockets', 0),
  streams: numberOf('streams', 0),
  seed,
  file,
  data: values.data,
  report,
});

const mb = (bytes: number | undefined) => (bytes === undefined ? '-' : (bytes / 2 ** 20).toFixed(2));
const growth = growthOf(rows);
const sum = (read: (row: SoakRow) => number) => rows.reduce((total, row) => total + read(row), 0);
const statuses = new Map<string, number>();
for (const row of rows) {
  for (const [status, n] of Object.entries(row.statuses))
    statuses.set(status, (statuses.get(status) ?? 0) + n);
}
const last = rows.at(-1);
report('');
report(`${rows.length} minutes; growth after the warm-up in MB an hour (goal of its own memory: 1)`);
for (const [what, slope, now] of [
  ['resident memory', growth.rssBytes, last?.rssBytes],
  ['  of its own', growth.anonymousBytes, last?.anonymousBytes],
  ['  pages of files', growth.fileBytes, last?.fileBytes],
  ['pages of the heap', growth.heapPagesBytes, last?.heapPagesBytes],
  ['heap in use', growth.heapBytes, last?.heapBytes],
  ['store', growth.storeBytes, last?.storeBytes],
] as const) {
  const range = `${mb(slope?.low)} to ${mb(slope?.high)}`;
  report(
    `${what.padEnd(18)} ${mb(slope?.perHour).padStart(8)} (95 %: ${range})   now ${mb(now).padStart(8)} MB`,
  );
}
report(`open files at most ${Math.max(...rows.map(({ openFiles }) => openFiles))}, now ${last?.openFiles}`);
report(`loop held ${Math.max(...rows.map(({ loopDelayMs }) => loopDelayMs)).toFixed(0)} ms at most`);
report(
  `${sum(({ frames }) => frames)} frames, ${sum(({ comings }) => comings)} comings, ${sum(({ faults }) => faults)} faults of sources`,
);
report(`answers: ${[...statuses].map(([status, n]) => `${status}: ${n}`).join(', ')}`);
