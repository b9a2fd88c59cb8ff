import { createNatsCluster, createNatsServer } from '../support/bus/nats-server.ts';
import { sweepFailover } from './failover.ts';

/**
 * `node build/test/sweeps/run-failover.js KILLS FREEZES NATS_KILLS [SEED]`: so many of the leading one of two engines, and of
 * the NATS server that leads their stream.
 */
const [kills = 5, freezes = 5, natsKills = 0, given] = process.argv.slice(2).map(Number);
const seed = given ?? Math.trunc(Math.random() * 2 ** 31);
for (const count of [kills, freezes, natsKills, seed]) {
  if (!Number.isInteger(count) || count < 0) throw new RangeError('expected KILLS FREEZES NATS_KILLS [SEED]');
}

const servers = natsKills > 0 ? await createNatsCluster() : [await createNatsServer()];
if (natsKills === 0) await servers[0]?.start();
const print = (line: string) => process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
const startedAt = performance.now();
try {
  const found = await sweepFailover({ kills, freezes, natsKills, seed, servers, report: print });
  print('silence in the log, ms     count    p50    p99    max');
  for (const { kind, silences } of found) {
    const sorted = silences.toSorted((a, b) => a - b);
    /** So large a share of them is not larger. */
    const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
    const figures = [sorted.length, at(0.5), at(0.99), sorted.at(-1) ?? 0];
    print(`${kind.padEnd(22)}${figures.map((figure) => String(figure).padStart(7)).join('')}`);
  }
  print(`in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
} finally {
  for (const server of servers) await server.remove();
}
