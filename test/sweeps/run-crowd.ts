import { sweepCrowd } from './crowd.ts';

/** `node build/test/sweeps/run-crowd.js 10000 200 60`: so many readers, so many that never read, so many seconds. */
const [readers = 10_000, stalled = 200, seconds = 60] = process.argv.slice(2).map(Number);
const report = (line: string) => process.stdout.write(`${line}\n`);
const found = await sweepCrowd({ readers, stalled, seconds, historyDays: 60, report });
const kilobytes = (bytes: number) => `${(bytes / 1_024).toFixed(1)} KB`;
report(
  `a reader costs ${kilobytes(found.bytesPerReader)}, after ${seconds} s ${kilobytes(found.heldBytesPerReader)}`,
);
report(`the loop was held ${found.heldMs.toFixed(0)} ms at most (goal 100)`);
report(`readers that never read grew the process by ${(found.grownBytes / 2 ** 20).toFixed(1)} MB`);
report(`p99 of the others ${found.before.p99Ms} ms before and ${found.beside.p99Ms} ms beside them`);
