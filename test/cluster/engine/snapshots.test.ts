import assert from 'node:assert/strict';
import { startSnapshots } from '../../../src/cluster/engine/snapshots.ts';
import { createLatest } from '../../../src/views/latest.ts';
import { createKernel } from '../../simulation/kernel.ts';
import { installVirtualGlobals } from '../../simulation/virtual-globals.ts';

describe('snapshots of a shard', () => {
  const kernel = createKernel();
  let globals: ReturnType<typeof installVirtualGlobals>;
  before(() => {
    globals = installVirtualGlobals({ kernel, startAt: 0, random: () => 0, others: [] });
  });
  after(() => globals.restore());

  it('are made soon, and then after waits that double up to five minutes', async () => {
    const savedAt: number[] = [];
    let place: number | undefined;
    const snapshots = {
      async save() {
        savedAt.push(Math.round(kernel.now() / 1_000));
        return true;
      },
    };
    const making = startSnapshots({
      bus: { epoch: 'epoch', snapshots },
      shard: 'main',
      folder: '',
      accounts: ['a'],
      latest: createLatest(),
      takeSnapshot: async function* () {},
      place: () => place,
      report: (error) => assert.fail(String(error)),
    });
    await kernel.run(3_000);
    assert.deepEqual(savedAt, [], 'there is nothing to save yet');
    place = 1;
    await kernel.run(1_300_000);
    await making.stop();
    const waits = savedAt.slice(1).map((at, index) => at - (savedAt[index] ?? 0));
    assert.deepEqual([savedAt[0], waits], [4, [10, 20, 40, 80, 160, 300, 300, 300]]);
  });

  it('are given up when making them is stopped, however long one takes', async () => {
    let given: AbortSignal | undefined;
    const making = startSnapshots({
      bus: {
        epoch: 'epoch',
        snapshots: {
          async save(_shard, _place, chunks) {
            for await (const chunk of chunks) assert.ok(chunk);
            return true;
          },
        },
      },
      shard: 'main',
      folder: '',
      accounts: ['a'],
      latest: createLatest(),
      async *takeSnapshot(_job, signal) {
        given = signal;
        yield new Uint8Array(1);
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
      place: () => 1,
      report: (error) => assert.fail(String(error)),
    });
    await kernel.run(1_000);
    assert.equal(given?.aborted, false);
    await making.stop();
    assert.equal(given?.aborted, true);
  });
});
