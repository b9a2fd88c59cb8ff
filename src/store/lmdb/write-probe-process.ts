import type { Key } from '#database';
import { guardCommits } from './commit.ts';
import { isDamage } from './damage.ts';
import { type Environment, openAnyRows, openEnvironment, PART_NAMES } from './environment.ts';
import { putRows } from './put-rows.ts';
import { EXIT_DAMAGED } from './write-probe.ts';

// Run by write-probe.ts in a process of its own, on a copy of a store: writes every row again, so that every page is
// replaced and every free one is used, and ends with 0 if that works. Damage that no reader meets ends it otherwise.

const ROWS_PER_STEP = 200;

async function rewrite(environment: Environment, part: string): Promise<void> {
  const rows = openAnyRows(environment.root, part, environment.damage);
  let last: Key | undefined;
  for (let isOver = rows === undefined; rows !== undefined && !isOver; ) {
    const step = [
      ...rows.getRange({
        limit: ROWS_PER_STEP,
        ...(last !== undefined && { start: last, exclusiveStart: true }),
      }),
    ];
    await putRows(rows, step, environment);
    last = step.at(-1)?.key;
    isOver = step.length < ROWS_PER_STEP;
  }
}

const [path] = process.argv.slice(2);
if (path === undefined) throw new RangeError('write-probe-process needs the folder of an environment');
guardCommits();
// A commit alone does not keep a process alive.
const alive = setInterval(() => undefined, 1_000);
try {
  const environment = await openEnvironment(path, { isReadOnly: false, path });
  for (const part of PART_NAMES) await rewrite(environment, part);
  await environment.close();
} catch (error) {
  if (!isDamage(error)) throw error;
  process.exit(EXIT_DAMAGED);
} finally {
  clearInterval(alive);
}
