import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openNatsBus } from '../../src/bus/nats/open-nats-bus.ts';
import { beginningOf } from '../../src/cluster/engine/position.ts';
import { createPublishing } from '../../src/cluster/engine/publish.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { createLatest } from '../../src/views/latest.ts';
import { emptyState } from '../../streams/internal.ts';
import { accountIds, history, opening, seconds } from './accounts.ts';
import { openLiveTurns } from './live-turns.ts';

/** What one leading engine takes. */
export interface ShardMeasured {
  /** CPU time of each second of its accounts, with its commits and its entries on the bus. */
  readonly secondMs: number;
}

const DAYS = 2;
const START_AT = Date.UTC(2026, 0, 5);

/** One engine that leads a shard of `accounts`, those from `first` on: `node … BUS SHARD FIRST COUNT SECONDS`. */
const [servers = '', shard = '', first = '0', count = '2', span = '60'] = process.argv.slice(2);
const accounts = accountIds(Number(first) + Number(count)).slice(Number(first));

const folder = await mkdtemp(join(tmpdir(), 'tallywire-shard-'));
const store = await openStore(folder);
const bus = await openNatsBus({
  servers,
  env: {},
  name: shard,
  role: { type: 'engine', replicas: 1 },
  report: (error) => process.emitWarning(String(error)),
});
try {
  await store.outputs.prepare();
  const stream = await bus.shard(shard);
  const lease = await bus.leases.campaign(shard, shard, new AbortController().signal);
  const writer = await stream.beginTerm(lease.term, 0);
  if (writer === 'behind') throw new Error('the stream is not empty');
  const { position } = beginningOf(store, { epoch: bus.epoch, shard, data: folder });
  const onOver = (error: unknown) => {
    throw error;
  };
  const { publishing } = createPublishing({ writer, position, onOver }, () => performance.now());
  const turns = openLiveTurns({
    store,
    latest: createLatest(store.outputs),
    state: emptyState(),
    publishing,
  });
  await turns.accept(opening(accounts, START_AT));
  for (const step of history(accounts, START_AT, DAYS)) await turns.accept(step);
  const before = process.cpuUsage();
  for (const step of seconds(accounts, START_AT, DAYS, Number(span))) await turns.accept(step);
  const { user, system } = process.cpuUsage(before);
  await turns.stop();
  const measured: ShardMeasured = { secondMs: (user + system) / 1_000 / Number(span) };
  process.stdout.write(`${JSON.stringify(measured)}\n`);
} finally {
  await bus.close();
  await store.close();
  await rm(folder, { recursive: true });
}
