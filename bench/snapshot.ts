import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { openNatsBus } from '../src/bus/nats/open-nats-bus.ts';
import { takeSnapshot } from '../src/cluster/engine/take-snapshot.ts';
import { passingTexts } from '../src/cluster/passing.ts';
import { recover } from '../src/engine/recover.ts';
import { openStore } from '../src/store/lmdb/open-store.ts';
import { createLatest } from '../src/views/latest.ts';
import { createNatsServer } from '../test/support/bus/nats-server.ts';
import { print } from './print.ts';

/**
 * How long the event loop of an engine is held while a snapshot of its store is made and put on the bus. The baseline is
 * the same process at rest.
 *
 *     node build/bench/snapshot.js FOLDER [SNAPSHOTS] [ACCOUNT ...]
 *
 * A folder of `growth/measure.js live N FOLDER`, or of any engine that has stopped.
 */
const [folder = '', count = '5', ...accounts] = process.argv.slice(2);
const SPAN_MS = 5_000;

/** The longest time in ms in which the loop did nothing else. */
async function heldDuring(work: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  await work();
  delays.disable();
  return delays.max / 1e6;
}

const server = await createNatsServer();
await server.start();
const store = await openStore(folder);
const bus = await openNatsBus({
  servers: server.url,
  env: {},
  name: 'engine',
  role: { type: 'engine', replicas: 1 },
  report: (error) => process.emitWarning(String(error)),
});
try {
  const latest = createLatest(store.outputs);
  await recover(store, latest);
  const atRest: number[] = [];
  const beside: number[] = [];
  let bytes = 0;
  for (let n = 1; n <= Number(count); n++) {
    atRest.push(await heldDuring(() => delay(SPAN_MS)));
    beside.push(
      await heldDuring(async () => {
        const job = { folder, epoch: bus.epoch, accounts, passing: [...passingTexts(latest)] };
        async function* counted() {
          for await (const chunk of takeSnapshot(job)) {
            bytes += chunk.length;
            yield chunk;
          }
        }
        await bus.snapshots.save('main', n, counted());
      }),
    );
  }
  const worst = (values: readonly number[]) => `${Math.max(...values).toFixed(0)} ms`;
  print('the loop of an engine, held at most while a snapshot is made', worst(beside), 'goal 50 ms');
  print('  the same at rest', worst(atRest));
  print('  size of a snapshot', `${(bytes / Number(count) / 2 ** 20).toFixed(1)} MB`);
} finally {
  await bus.close();
  await store.close();
  await server.remove();
}
