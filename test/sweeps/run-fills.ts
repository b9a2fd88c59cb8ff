import { sweepFills } from './fills.ts';

/** `node build/test/sweeps/run-fills.js 100 [seed]`: fills a small ext4 and a small tmpfs under a service, so often each. */
const fills = Number(process.argv[2] ?? '20');
if (!Number.isInteger(fills) || fills < 1) {
  throw new RangeError(`expected a number of fills, was ${process.argv[2]}`);
}
const seed = Number(process.argv[3] ?? Math.trunc(Math.random() * 2 ** 31));
const say = (line: string) => process.stdout.write(`${line}\n`);
say(`seed ${seed}`);
for (const kind of ['ext4', 'tmpfs'] as const) {
  const startedAt = performance.now();
  const found = await sweepFills({ kind, fills, seed, report: say });
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  if (found === undefined) {
    say(`NOT TESTED: ${kind} cannot be mounted here`);
    process.exitCode = 1;
  } else say(`${found}; alive, nothing lost, no commit met a full disk, in ${seconds} s`);
}
