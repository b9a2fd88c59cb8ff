import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Following, Lease, StoredEntry } from '../../../src/bus/bus.ts';
import { BusError } from '../../../src/bus/bus-error.ts';
import { createBus } from '../../../src/bus/create-bus.ts';
import { createRng } from '../../../src/world/rng.ts';
import { createSimulatedCluster, type Faults, NO_FAULTS, type SimulatedNode } from './simulated-cluster.ts';
import { createVirtualTime } from './virtual-time.ts';

/** An entry as these engines write it: who wrote it and when, and the digest of all entries before it. */
interface Written {
  readonly id: string;
  readonly before: string;
}

/** A process that follows the log, campaigns, and writes while it leads. */
interface Engine {
  readonly node: SimulatedNode;
  readonly state: {
    lease: Lease | undefined;
    digest: string;
    ids: string[];
    following: Following | undefined;
  };
}

export interface EnginesOptions {
  readonly seed: number;
  readonly engines: number;
  /** How long things go wrong, in virtual time. */
  readonly troubleMs: number;
  readonly faults: Partial<Faults>;
}

export interface EnginesResult {
  readonly acknowledged: number;
  readonly terms: number;
  /** Longest time without a new entry after all trouble was over. */
  readonly recoveryMs: number;
}

const STEP_MS = 25;
const WRITE_EVERY_MS = 50;
const RECOVERED_WITHIN_MS = 30_000;
const LARGEST_PADDING = 3_000;

const digestOf = (before: string, id: string): string =>
  createHash('sha256').update(before).update(id).digest('hex').slice(0, 16);

/**
 * Engines on a simulated cluster that are killed, frozen and cut off while servers stop and messages go astray. Checks
 * what must hold whatever happens, and that all goes on afterwards.
 */
export async function runEngines({
  seed,
  engines: count,
  troubleMs,
  faults,
}: EnginesOptions): Promise<EnginesResult> {
  const time = createVirtualTime();
  const cluster = createSimulatedCluster(seed, time);
  const rng = createRng(seed, 'simulated engines');
  const acknowledged: string[] = [];
  const failures: unknown[] = [];
  const alive = new Set<Engine>();
  let made = 0;
  let ids = 0;

  function start(): void {
    const name = `engine${++made}`;
    const node = cluster.connect();
    const engine: Engine = { node, state: { lease: undefined, digest: '', ids: [], following: undefined } };
    alive.add(engine);
    // When its term is over it ends, and comes back as a standby.
    const restart = () => {
      if (alive.delete(engine)) start();
    };
    run(name, engine).then(restart, (error: unknown) => {
      const isOver = error instanceof BusError && error.code === 'BUS_FENCED';
      if (!isOver) failures.push(error);
      restart();
    });
  }

  async function run(name: string, engine: Engine): Promise<void> {
    const { node, state } = engine;
    const bus = await createBus({
      transport: node.transport,
      time: node.time,
      newId: () => `id${++ids}`,
      isEngine: true,
      report: () => undefined,
    });
    const apply = (id: string) => {
      state.digest = digestOf(state.digest, id);
      state.ids.push(id);
    };
    const onEntry = ({ bytes }: StoredEntry) => {
      const written: Written = JSON.parse(Buffer.from(bytes).toString());
      assert.equal(written.before, state.digest, 'an entry follows what its writer had before it');
      apply(written.id);
    };
    try {
      const shard = await bus.shard('main');
      const following = shard.follow(0, onEntry);
      state.following = following;
      following.ended.catch((error: unknown) => failures.push(error));
      const lease = await bus.leases.campaign('main', name, new AbortController().signal);
      state.lease = lease;
      let writer = await shard.beginTerm(lease.term, following.place);
      for (; writer === 'behind'; writer = await shard.beginTerm(lease.term, following.place)) {
        await node.time.pause(WRITE_EVERY_MS);
      }
      await following.stop();
      state.following = undefined;
      let isLost = false;
      lease.lost.then(
        () => {
          isLost = true;
        },
        (error: unknown) => failures.push(error),
      );
      for (let n = 1; !isLost; n++) {
        await node.time.pause(WRITE_EVERY_MS);
        if (!lease.isHeld()) continue;
        const holders = [...alive].filter((each) => each.state.lease?.isHeld() === true);
        assert.deepEqual(holders.length, 1, 'one engine at a time asks the outside world');
        const written: Written & { readonly padding: string } = {
          id: `${name}:${n}`,
          before: state.digest,
          padding: 'x'.repeat(rng.chance(0.2) ? rng.int(0, LARGEST_PADDING) : 0),
        };
        await writer.append({ kind: 'log', bytes: Buffer.from(JSON.stringify(written)) });
        acknowledged.push(written.id);
        apply(written.id);
      }
    } finally {
      await bus.close();
    }
  }

  const anyEngine = () => [...alive][rng.int(0, alive.size - 1)];
  const trouble: readonly (() => void)[] = [
    () => {
      const engine = anyEngine();
      if (engine === undefined) return;
      engine.node.kill();
      alive.delete(engine);
      time.after(rng.int(0, 2_000), start);
    },
    () => {
      const node = anyEngine()?.node;
      node?.freeze();
      time.after(rng.int(1, 6_000), () => node?.resume());
    },
    () => {
      const node = anyEngine()?.node;
      node?.cutOff();
      time.after(rng.int(1, 6_000), () => node?.rejoin());
    },
    () => {
      const node = anyEngine()?.node;
      node?.setDeaf(true);
      time.after(rng.int(1, 3_000), () => node?.setDeaf(false));
    },
    () => {
      cluster.setDown(true);
      time.after(rng.int(1, 5_000), () => cluster.setDown(false));
    },
    () => cluster.setFaults(rng.chance(0.5) ? faults : NO_FAULTS),
  ];

  for (let each = 0; each < count; each++) start();
  let nextTroubleAt = rng.int(500, 4_000);
  while (time.mono() < troubleMs) {
    await time.advance(STEP_MS);
    if (failures.length > 0) throw failures[0];
    if (time.mono() < nextTroubleAt) continue;
    trouble[rng.int(0, trouble.length - 1)]?.();
    nextTroubleAt = time.mono() + rng.int(200, 4_000);
  }

  cluster.setFaults(NO_FAULTS);
  // What was under way is over: every engine that was frozen or cut off has come back.
  await time.advance(7_000);
  const before = acknowledged.length;
  const healedAt = time.mono();
  const isCaughtUp = () => {
    const lengths = [...alive].map(({ state }) => state.ids.length);
    return acknowledged.length > before + 20 && Math.max(...lengths) - Math.min(...lengths) <= 2;
  };
  while (!isCaughtUp()) {
    await time.advance(STEP_MS);
    if (failures.length > 0) throw failures[0];
    if (time.mono() - healedAt > RECOVERED_WITHIN_MS) throw new Error('it did not go on after the trouble');
  }
  const recoveryMs = time.mono() - healedAt;

  const { history } = cluster.stream('shard_main');
  const terms = history.map(({ id }) => Number(id.split(':')[1]));
  for (const [index, term] of terms.entries())
    assert.ok(term >= (terms[index - 1] ?? 0), 'terms never go back');

  const longest = [...alive].map(({ state }) => state.ids).reduce((a, b) => (b.length > a.length ? b : a));
  for (const { state } of alive) {
    assert.deepEqual(state.ids, longest.slice(0, state.ids.length), 'all engines have the same log');
  }
  assert.equal(new Set(longest).size, longest.length, 'nothing is there twice');
  const there = new Set(longest);
  assert.deepEqual(
    acknowledged.filter((id) => !there.has(id)),
    [],
    'nothing acknowledged is lost',
  );
  for (const { node } of alive) node.kill();
  return { acknowledged: acknowledged.length, terms: new Set(terms).size, recoveryMs };
}
