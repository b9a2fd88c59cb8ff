import { createInterface } from 'node:readline';
import { startChild } from '../support/child.ts';
import { type SeedOutcome, seedOutcome } from './simulate-in-child.ts';

interface SeedsOptions {
  /** Runs the seeds of its last argument one after the other, and tells its parent what came of each. */
  readonly program: URL;
  readonly args: readonly string[];
  /** Processes at a time. */
  readonly jobs: number;
  readonly onOutcome: (outcome: SeedOutcome) => void;
  readonly print: (line: string) => void;
}

/** What was compiled for a seed serves the next one in the same process. Memory grows with each. */
const SEEDS_PER_PROCESS = 10;

/** Simulates seeds in processes that take several each. One that ends before its time costs the seed that it was at. */
export async function simulateInChildren(seeds: readonly number[], options: SeedsOptions): Promise<void> {
  const { jobs } = options;
  const each = Math.min(SEEDS_PER_PROCESS, Math.ceil(seeds.length / jobs));
  const waiting: (readonly number[])[] = Array.from({ length: Math.ceil(seeds.length / each) }, (_, at) =>
    seeds.slice(at * each, (at + 1) * each),
  );
  const work = async () => {
    for (let share = waiting.shift(); share !== undefined; share = waiting.shift()) {
      const rest = await simulateShare(share, options);
      if (rest.length > 0) waiting.unshift(rest);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
}

/** Resolves to the seeds that are left when the process has ended early. */
async function simulateShare(
  share: readonly number[],
  { program, args, onOutcome, print }: SeedsOptions,
): Promise<readonly number[]> {
  const child = startChild(program, [...args, share.join(',')], { flags: process.execArgv });
  const { stdout, stderr } = child.process;
  if (stdout !== null) createInterface({ input: stdout }).on('line', print);
  stderr?.pipe(process.stderr, { end: false });
  let done = 0;
  child.process.on('message', (message) => {
    done += 1;
    onOutcome(seedOutcome.parse(message));
  });
  const how = await child.ended();
  const seed = share[done];
  if (seed === undefined) return [];
  onOutcome({ seed, outcome: { type: 'ended', why: `the process ended with ${how}` } });
  return share.slice(done + 1);
}
