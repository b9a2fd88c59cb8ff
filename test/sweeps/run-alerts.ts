import { sweepAlerts } from './alerts.ts';

/** `node build/test/sweeps/run-alerts.js 20 [seed]`: so many runs, each with kills and a receiver that fails. */
const runs = Number(process.argv[2] ?? '10');
if (!Number.isInteger(runs) || runs < 1) {
  throw new RangeError(`expected a number of runs, was ${process.argv[2]}`);
}
const firstSeed = Number(process.argv[3] ?? Math.trunc(Math.random() * 2 ** 31));
const say = (line: string) => process.stdout.write(`${line}\n`);
const KILLS = 8;
let alerts = 0;
for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
  say(`seed ${seed}`);
  const found = await sweepAlerts({ kills: KILLS, last: 400, seed });
  alerts += found.alerts;
  say(
    `  ${found.alerts} alerts in ${found.requests} requests, ${found.refused} of them refused, ${KILLS} kills`,
  );
}
say(
  `${runs} runs, ${runs * KILLS} kills, ${alerts} alerts: each exactly once after de-duplication, in order`,
);
