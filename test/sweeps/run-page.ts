import { judgePage, type PageSample, type Spread, sweepPage } from './page.ts';

/** `node build/test/sweeps/run-page.js 60`: so many minutes of a page that is left open, a line for each. */
const minutes = Number(process.argv[2] ?? '10');
if (!Number.isInteger(minutes) || minutes < 1) {
  throw new RangeError(`expected a number of minutes, was ${process.argv[2]}`);
}

const levels = ({ p50, p95, p99, most }: Spread) =>
  [p50, p95, p99, most].map((value) => value.toFixed(1)).join(' / ');

function line({ minutes: at, heapBytes, nodes, listeners, updatesPerSecond, ...frames }: PageSample): string {
  return [
    `${at.toFixed(1)} min`,
    `heap ${(heapBytes / 1_000_000).toFixed(2)} MB, ${nodes} nodes, ${listeners} listeners`,
    `${updatesPerSecond.toFixed(0)} updates a second`,
    `work of a frame, ms at p50 / p95 / p99 / most: ${levels(frames.cpuMs)} of the processor, ${levels(frames.wallMs)} with waits`,
    `between frames ${levels(frames.gapMs)}`,
  ].join('; ');
}

const write = (text: string) => process.stdout.write(`${text}\n`);
const samples = await sweepPage({
  samples: minutes,
  everyMs: 60_000,
  lookMs: 10_000,
  report: (sample) => write(line(sample)),
});
const { words, isGood } = judgePage(samples);
write(words);
if (!isGood) process.exitCode = 1;
