import assert from 'node:assert/strict';
import { isUnreachable } from '../../../src/bus/bus-error.ts';
import { createSimulatedCluster } from './simulated-cluster.ts';
import { createVirtualTime } from './virtual-time.ts';

const MESSAGES = 200;
const SPEC = { name: 'shard_main', kind: 'log', cluster: 'epoch' } as const;

describe('a simulated cluster', () => {
  it('delivers what was sent before a delivery broke', async () => {
    const time = createVirtualTime();
    const cluster = createSimulatedCluster(1, time);
    const opening = cluster.connect().transport.openStream(SPEC);
    await time.advance(100);
    const stream = await opening;
    assert.ok(stream);
    for (let n = 1; n <= MESSAGES; n++)
      cluster
        .stream(SPEC.name)
        .publish({ subject: 'log', body: new Uint8Array([n]) }, undefined, time.mono());
    cluster.setFaults({ brokenDelivery: 0.1 });

    const places: number[] = [];
    async function receive(from: number): Promise<void> {
      try {
        for await (const { message } of stream?.deliver(from) ?? []) places.push(message.place);
      } catch (error) {
        if (!isUnreachable(error)) throw error;
      }
    }
    let breaks = 0;
    for (; places.length < MESSAGES; breaks++) {
      assert.ok(breaks < MESSAGES, `${places.length} of ${MESSAGES} arrived`);
      void receive(places.length + 1);
      await time.advance(1_000);
    }
    assert.ok(breaks > 1);
    assert.deepEqual(
      places,
      Array.from({ length: MESSAGES }, (_, index) => index + 1),
    );
  });
});
