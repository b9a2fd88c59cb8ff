import assert from 'node:assert/strict';
import { RequestError } from '../../src/errors.ts';
import { createRng } from '../../src/world/rng.ts';
import { NO_FAULTS } from '../support/bus/simulated-cluster.ts';
import { type CallersEdge, type CallersEngine, openCallersWorld } from '../support/callers-world.ts';

interface LimitsClusterSweep {
  readonly seed: number;
  /** Of virtual time; an hour at most, so that every call counts until the end. */
  readonly seconds: number;
  readonly arrivals: number;
}

interface LimitsClusterFigures {
  readonly arrivals: number;
  /** The most calls of one caller that were let in, by limit. */
  readonly most: Readonly<Record<number, number>>;
  /** What all callers of a limit could have got. */
  readonly atMost: Readonly<Record<number, number>>;
  readonly admitted: Readonly<Record<number, number>>;
  /** Let in by an edge without an engine. */
  readonly alone: number;
  readonly failOvers: number;
}

const EDGES = 3;
const CALLERS: readonly (readonly [caller: string, limit: number])[] = [
  ...Array.from({ length: 4 }, (_, index) => [`a:${index}`, 100] as const),
  ['k:pro', 2_000],
];
const ROUGH = { lostRequest: 0.02, lostAnswer: 0.02, repeatedRequest: 0.02, brokenDelivery: 0.01 };

/**
 * Callers arrive at edges on a simulated bus while leading engines are killed, frozen and replaced, edges are cut off and
 * servers stop. Rejects when a caller gets more than its limit.
 */
export async function sweepLimitsCluster(sweep: LimitsClusterSweep): Promise<LimitsClusterFigures> {
  const { seed, seconds, arrivals } = sweep;
  assert.ok(seconds <= 3_600, 'calls of more than an hour ago do not count');
  const rng = createRng(seed, 'limits of a cluster');
  // The clock of a new leader may be behind or ahead of the last one's.
  const aheadMs = Array.from({ length: 200 }, () => rng.int(0, 1_500));
  const places = { places: EDGES + 1, placeMs: 600_000 };
  const world = await openCallersWorld({ seed, places, aheadMs });
  const { time, cluster } = world;
  const admitted = new Map<string, number>();
  let alone = 0;
  let failOvers = 0;
  try {
    let leader = await world.standby();
    let next = await world.standby();
    await world.lead(leader);
    const edges: CallersEdge[] = [];
    for (let edge = 0; edge < EDGES; edge++) edges.push(await world.edge(`edge-${edge}`));
    await world.until('all edges are served', () =>
      edges.every(({ callers }) => callers.status() === 'served'),
    );
    const beganAt = time.mono();

    const call = async (edge: CallersEdge, caller: string, limit: number): Promise<void> => {
      const { counting, status } = edge.callers;
      const [kind, name] = [caller.slice(0, 2), caller.slice(2)];
      const hour = kind === 'k:' ? counting.ofKey(name) : counting.ofAddress(name, world.wall());
      const isAdmitted = await Promise.resolve()
        .then(() => counting.charge(hour, world.wall(), limit))
        .catch((error: unknown) => {
          if (error instanceof RequestError && error.code === 'engine_unavailable') return false;
          throw error;
        });
      if (!isAdmitted) return;
      if (status() === 'alone') alone += 1;
      if (rng.chance(0.1)) counting.refund(hour, world.wall());
      else admitted.set(caller, (admitted.get(caller) ?? 0) + 1);
    };

    const calls: Promise<void>[] = [];
    // One timer at a time, as the virtual clock looks through all of them.
    const times = Array.from({ length: arrivals }, () => rng.next() * seconds * 1_000).sort((a, b) => a - b);
    const arrive = (index: number): void => {
      const at = times[index];
      if (at === undefined) return;
      time.after(beganAt + at - time.mono(), () => {
        const [caller, limit] = CALLERS[rng.int(0, CALLERS.length - 1)] ?? ['', 0];
        const edge = edges[rng.int(0, EDGES - 1)];
        if (edge !== undefined) calls.push(call(edge, caller, limit));
        arrive(index + 1);
      });
    };
    arrive(0);

    const end = (old: CallersEngine) => {
      if (rng.chance(0.5)) return old.node.kill();
      old.node.freeze();
      time.after(rng.int(100, 8_000), () => old.node.resume());
    };
    const anyEdge = () => edges[rng.int(0, EDGES - 1)];
    while (time.mono() - beganAt < seconds * 1_000) {
      await time.advance(rng.int(500, 6_000));
      const draw = rng.next();
      if (failOvers === 0 || draw < 0.5) {
        failOvers += 1;
        end(leader);
        await time.advance(rng.int(0, 3_000));
        await world.lead(next);
        leader = next;
        next = await world.standby();
      } else if (draw < 0.65) {
        const edge = anyEdge();
        edge?.node.cutOff();
        time.after(rng.int(100, 8_000), () => edge?.node.rejoin());
      } else if (draw < 0.75) {
        cluster.setDown(true);
        await time.advance(rng.int(100, 3_000));
        cluster.setDown(false);
      } else cluster.setFaults(rng.chance(0.5) ? ROUGH : NO_FAULTS);
    }
    cluster.setFaults(NO_FAULTS);
    await time.advance(10_000);
    await world.settled(Promise.all(calls));

    const most: Record<number, number> = {};
    const sums: Record<number, number> = {};
    const atMost: Record<number, number> = {};
    for (const [caller, limit] of CALLERS) {
      const count = admitted.get(caller) ?? 0;
      assert.ok(count <= limit, `${caller} got ${count} calls in ${seconds} s, the limit is ${limit}`);
      most[limit] = Math.max(most[limit] ?? 0, count);
      sums[limit] = (sums[limit] ?? 0) + count;
      atMost[limit] = (atMost[limit] ?? 0) + limit;
    }
    return { arrivals, most, atMost, admitted: sums, alone, failOvers };
  } finally {
    await world.close();
  }
}
