import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { proxiesOf } from '../../../src/access/client-address.ts';
import { createGate } from '../../../src/access/gate.ts';
import { demoKeys } from '../../../src/access/keys/key-lookup.ts';
import type { Bus } from '../../../src/bus/bus.ts';
import { keepsCallers } from '../../../src/cluster/commands/callers-shard.ts';
import { beginningOf } from '../../../src/cluster/engine/position.ts';
import { createPublishing } from '../../../src/cluster/engine/publish.ts';
import { registerShard } from '../../../src/cluster/engine/register-shard.ts';
import { startSnapshots } from '../../../src/cluster/engine/snapshots.ts';
import { takeSnapshot } from '../../../src/cluster/engine/take-snapshot.ts';
import { topicsOf } from '../../../src/feed/channels.ts';
import { openFeed } from '../../../src/feed/feed.ts';
import { decodeFrame } from '../../../src/feed/log/frame-codec.ts';
import { updateText } from '../../../src/feed/log/frames.ts';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { audienceOf } from '../../../src/views/audience.ts';
import { createLatest } from '../../../src/views/latest.ts';
import type { Output } from '../../../streams/internal.ts';
import { accountPath } from '../accounts.ts';

export const LIMITS = {
  posts: 10_000,
  oracle: 900_000,
  ui: 300_000,
  prices: 60_000,
  events: 180_000,
  crypto: 60_000,
};

/** The part of a leading engine that edges see, with outputs that a test makes up instead of a graph. */
export interface TestLeader {
  readonly epoch: string;
  readonly place: number;
  readonly store: Awaited<ReturnType<typeof openStore>>;
  /** Each frame as a reader of the engine gets it when it is new, by `topic seq`, of topics that everyone or FREE reads. */
  readonly texts: ReadonlyMap<string, string>;
  /** Publishes outputs as those of the next observation. */
  turn(outputs: readonly Output[]): Promise<void>;
  stop(): Promise<void>;
}

interface LeaderOptions {
  readonly bus: Bus;
  readonly shard?: string;
  readonly accounts?: readonly string[];
  readonly snapshotsEveryMs?: number;
}

export async function startTestLeader(options: LeaderOptions): Promise<TestLeader> {
  const { bus, shard = 'main', accounts: ids = ['a'], snapshotsEveryMs } = options;
  const folder = await mkdtemp(join(tmpdir(), 'tallywire-leader-'));
  const store = await openStore(folder);
  await store.outputs.prepare();
  const latest = createLatest(store.outputs);
  const stopping = new AbortController();
  const fail = (error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  };
  const stream = await bus.shard(shard);
  const lease = await bus.leases.campaign(shard, `leader-${shard}`, stopping.signal);
  const writer = await stream.beginTerm(lease.term, 0);
  if (writer === 'behind') throw new Error('the stream is not empty');
  const { position } = beginningOf(store, { epoch: bus.epoch, shard, data: folder });
  const published = createPublishing({ writer, position, onOver: fail }, () => performance.now());
  const accounts = ids.map((id) => ({ ...accountPath(id), staleAfterMs: LIMITS }));
  const topics = new Map(topicsOf(accounts).map((topic) => [topic.storedAs, topic]));
  const texts = new Map<string, string>();

  const feed = openFeed({
    latest,
    window: published.frames(store.feed),
    cluster: {
      epoch: bus.epoch,
      async share(batch) {
        for (const row of batch.rows) {
          const topic = topics.get(row.topic);
          if (topic === undefined || topic.readers === 'PRO') continue;
          const text = updateText(
            bus.epoch,
            decodeFrame(topic, row),
            row.seq - 1,
            audienceOf(topic.audiences, 'FREE'),
          );
          const name = `${topic.name} ${row.seq}`;
          if (texts.has(name)) throw new Error(`two frames have the number ${name}`);
          texts.set(name, text);
        }
        await published.share(batch);
      },
    },
    outputs: store.outputs,
    accounts,
    gate: createGate({ keys: demoKeys(), now: Date.now }),
    proxies: proxiesOf([]),
    limits: { connections: 1, perAddress: 1, perKey: 1, connectsPerMinute: 1, replayBytesPerMinute: 1 },
    staleAfterMs: LIMITS,
    now: Date.now,
    mono: () => performance.now(),
    headers: {},
    answerTo: () => ({ status: 500, headers: {}, body: '' }),
    report: fail,
  });
  await registerShard({ bus, shard, accounts, staleAfterMs: LIMITS, now: Date.now });
  await keepsCallers(bus.shared('callers'), shard, undefined);
  const snapshots = startSnapshots({
    bus,
    shard,
    folder,
    accounts: ids,
    latest,
    takeSnapshot,
    place: () => published.position.place,
    report: fail,
    ...(snapshotsEveryMs !== undefined && { everyMs: snapshotsEveryMs }),
  });
  let seq = store.outputs.upTo;

  return {
    epoch: bus.epoch,
    get place() {
      return published.position.place;
    },
    store,
    texts,
    async turn(outputs) {
      const at = Date.now();
      seq += 1;
      const upTo = seq;
      const own = outputs.map((output) => ({ ...output, seq: upTo, at }));
      const turn = { outputs: own, upTo, calendarAt: at };
      await published.publishing.outputs(turn, () => store.outputs.append(own, upTo));
      latest.apply(own, upTo, at);
    },
    async stop() {
      stopping.abort();
      await snapshots.stop();
      await feed.close();
      await lease.release().catch(() => undefined);
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
