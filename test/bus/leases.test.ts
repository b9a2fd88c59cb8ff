import assert from 'node:assert/strict';
import type { Lease } from '../../src/bus/bus.ts';
import { createBus } from '../../src/bus/create-bus.ts';
import { createSimulatedCluster, type SimulatedNode } from '../support/bus/simulated-cluster.ts';
import { createVirtualTime } from '../support/bus/virtual-time.ts';

const STEP_MS = 10;
const never = new AbortController().signal;

/** A leader and a standby, who looks on. */
async function createPair() {
  const time = createVirtualTime();
  const cluster = createSimulatedCluster(1, time);
  let ids = 0;
  const campaign = async (owner: string, node: SimulatedNode): Promise<Lease> => {
    const bus = await createBus({
      transport: node.transport,
      time: node.time,
      newId: () => `id${++ids}`,
      isEngine: true,
      report: () => undefined,
    });
    return bus.leases.campaign('main', owner, never);
  };
  const leases: { leader?: Lease; standby?: Lease } = {};
  const nodes = { leader: cluster.connect(), standby: cluster.connect() };
  const leading = campaign('leader', nodes.leader).then((lease) => {
    leases.leader = lease;
  });
  await time.advance(1_000);
  await leading;
  const following = campaign('standby', nodes.standby).then((lease) => {
    leases.standby = lease;
  });
  await time.advance(5_000);

  /** Lets time pass and finds out whether both ever counted as leaders. Resolves to how long the standby took. */
  const watch = async (ms: number): Promise<number | undefined> => {
    const from = time.mono();
    while (time.mono() - from < ms) {
      await time.advance(STEP_MS);
      assert.ok(!(leases.leader?.isHeld() && leases.standby?.isHeld()), 'both lead');
      if (leases.standby !== undefined) {
        await following;
        return time.mono() - from;
      }
    }
    return undefined;
  };
  return { time, cluster, nodes, leases, watch };
}

describe('leases', () => {
  it('stay where they are while all is well', async () => {
    const { leases, watch } = await createPair();
    assert.equal(await watch(20_000), undefined);
    assert.equal(leases.leader?.isHeld(), true);
  });

  it('pass on within three seconds of a kill, a freeze or a cut', async () => {
    for (const end of ['kill', 'freeze', 'cutOff'] as const) {
      const { nodes, watch } = await createPair();
      nodes.leader[end]();
      const tookMs = await watch(10_000);
      assert.ok(tookMs !== undefined && tookMs > 1_400 && tookMs < 3_000, `${end}: ${tookMs}`);
    }
  });

  it('are lost by a leader that was frozen, at its first look', async () => {
    const { nodes, leases, time, watch } = await createPair();
    nodes.leader.freeze();
    await watch(10_000);
    nodes.leader.resume();
    assert.equal(leases.leader?.isHeld(), false);
    await time.advance(1_000);
    await leases.leader?.lost;
    assert.equal(leases.standby?.isHeld(), true);
  });

  it('are never held by two when a renewal is stored without an answer and the leader is then cut off', async () => {
    for (let deafAfterMs = 0; deafAfterMs < 500; deafAfterMs += 100) {
      for (let cutAfterMs = 1_000; cutAfterMs < 1_800; cutAfterMs += 100) {
        const { nodes, time, watch } = await createPair();
        await time.advance(deafAfterMs);
        nodes.leader.setDeaf(true);
        await time.advance(600);
        nodes.leader.setDeaf(false);
        await watch(cutAfterMs - 600);
        nodes.leader.cutOff();
        assert.notEqual(await watch(10_000), undefined);
      }
    }
  });

  it('stay where they are while the servers can be read and not written to', async () => {
    for (let forMs = 1_600; forMs < 3_000; forMs += 50) {
      const { cluster, leases, watch } = await createPair();
      cluster.setReadOnly(true);
      assert.equal(await watch(forMs), undefined);
      assert.equal(leases.leader?.isHeld(), false);
      cluster.setReadOnly(false);
      assert.equal(await watch(5_000), undefined, `after ${forMs} ms`);
      assert.equal(leases.leader?.isHeld(), true);
    }
  });

  it('survive an outage of the servers longer than any lease', async () => {
    const { cluster, leases, watch } = await createPair();
    cluster.setDown(true);
    assert.equal(await watch(30_000), undefined);
    assert.equal(leases.leader?.isHeld(), false);
    cluster.setDown(false);
    assert.equal(await watch(10_000), undefined);
    assert.equal(leases.leader?.isHeld(), true);
  });
});
