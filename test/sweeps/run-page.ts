import { assessPage, type PageSample, type Spread, sweepPage } from './page.ts';
import { isFastEnough, measurePageLatency } from './page-latency.ts';

/**
 * `node build/test/sweeps/run-page.js 60`: how soon a page shows something, numbers and posts, and then 60 minutes of an open page
 * with 50 updates a second. `run-page.js 60 30`: instead of these, 60 minutes of the demo, 30 times faster than time.
 */
const [minutes, demoSpeed] = [process.argv[2] ?? '10', process.argv[3] ?? '0'].map(Number);
if (!Number.isInteger(minutes) || minutes === undefined || minutes < 1) {
  throw new RangeError(`expected a number of minutes, was ${process.argv[2]}`);
}
if (!Number.isInteger(demoSpeed) || demoSpeed === undefined || demoSpeed < 0) {
  throw new RangeError(`expected how many times faster the demo runs, was ${process.argv[3]}`);
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
write(`first painted after ${rounded(latency.firstPaintMs)} ms`);
write(`first numbers after ${rounded(latency.firstNumberMs)} ms`);
write(`posts on the screen ${rounded(latency.postMs)} ms after they were seen`);
const samples = await sweepPage({
  of: demoSpeed === 0 ? 'busy' : { demoSpeed },
  samples: minutes,
  everyMs: 60_000,
  traceMs: 10_000,
  report: (sample) => write(lineOf(sample)),
});
const { summary, isGood } = demoSpeed === 0 ? assessPage(samples) : assessPage(samples, 0);
write(summary);
if (!isGood || !isFastEnough(latency)) process.exitCode = 1;
