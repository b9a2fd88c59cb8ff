import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createNatsServer } from '../test/support/bus/nats-server.ts';
import type { ShardMeasured } from './growth/shard.ts';
import { print } from './print.ts';

/**
 * What an account costs the engines of one shard and of four, with every turn on the bus: the CPU of a second of each
 * further account. What does not depend on the accounts cancels out between two numbers of them.
 *
 *     node build/bench/shards.js [SECONDS]
 */
const [seconds = '60'] = process.argv.slice(2);
/** Accounts over all shards. */
const COUNTS = [8, 40, 200];
const SHARDS = [1, 4];
const SHARD = fileURLToPath(new URL('./growth/shard.js', import.meta.url));
const run = promisify(execFile);

/** CPU of all engines for one second of all accounts, ms. */
async function secondOf(accounts: number, shards: number): Promise<number> {
  const server = await createNatsServer();
  await server.start();
  try {
    const each = accounts / shards;
    const engines = Array.from({ length: shards }, async (_, index) => {
      const args = [server.url, `shard-${index}`, String(index * each), String(each), seconds];
      const { stdout } = await run(process.execPath, ['--max-semi-space-size=2', SHARD, ...args]);
      return (JSON.parse(stdout) as ShardMeasured).secondMs;
    });
    return (await Promise.all(engines)).reduce((sum, ms) => sum + ms, 0);
  } finally {
    await server.remove();
  }
}

for (const shards of SHARDS) {
  const costs: number[] = [];
  const further: number[] = [];
  for (const [index, count] of COUNTS.entries()) {
    const ms = await secondOf(count, shards);
    costs.push(ms);
    print(`${shards} shard(s), ${count} accounts: CPU of a second`, `${ms.toFixed(1)} ms`);
    const [countBefore, before] = [COUNTS[index - 1], costs[index - 1]];
    if (countBefore === undefined || before === undefined) continue;
    const each = (ms - before) / (count - countBefore);
    const [first] = further;
    const ratio = first === undefined ? '' : `${(each / first).toFixed(2)} x that of the step before`;
    further.push(each);
    print(`  each account beyond ${countBefore}`, `${(each * 1_000).toFixed(0)} us`, ratio);
  }
}
