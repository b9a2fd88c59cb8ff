import { assessPage, type PageSample, type Spread, sweepPage } from './page.ts';
import { isFastEnough, measurePageLatency } from './page-latency.ts';

/** `node build/test/sweeps/run-page.js 60`: how soon a page shows numbers and posts, and then 60 minutes of an open page. */
const minutes = Number(process.argv[2] ?? '10');
if (!Number.isInteger(minutes) || minutes < 1) {
  throw new RangeError(`expected a number of minutes, was ${process.argv[2]}`);
}

const levels = ({ p50, p95, p99, most }: Spread) =>
  [p50, p95, p99, most].map((value) => value.toFixed(1)).join(' / ');

function lineOf({
  minutes: at,
  heapBytes,
  nodes,
  listeners,
  updatesPerSecond,
  ...frames
}: PageSample): string {
  return [
    `${at.toFixed(1)} min`,
    `heap ${(heapBytes / 1_000_000).toFixed(2)} MB, ${nodes} nodes, ${listeners} listeners`,
    `${updatesPerSecond.toFixed(0)} updates a second`,
    `work of a frame, ms at p50 / p95 / p99 / most: ${levels(frames.cpuMs)} of the processor, ${levels(frames.wallMs)} with waits`,
    `between frames ${levels(frames.gapMs)}`,
  ].join('; ');
}

const write = (text: string) => process.stdout.write(`${text}\n`);
const rounded = (values: readonly number[]) => values.map((value) => value.toFixed(0)).join(', ');
const latency = await measurePageLatency();
write(`first numbers after ${rounded(latency.firstNumberMs)} ms`);
write(`posts on the screen ${rounded(latency.postMs)} ms after they were seen`);
const samples = await sweepPage({
  samples: minutes,
  everyMs: 60_000,
  traceMs: 10_000,
  report: (sample) => write(lineOf(sample)),
});
const { summary, isGood } = assessPage(samples);
write(summary);
if (!isGood || !isFastEnough(latency)) process.exitCode = 1;
