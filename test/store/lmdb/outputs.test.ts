import assert from 'node:assert/strict';
import { setImmediate as nextLoop } from 'node:timers/promises';
import fc from 'fast-check';
import { type Environment, openEnvironment } from '../../../src/store/lmdb/environment.ts';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { openOutputs } from '../../../src/store/lmdb/outputs.ts';
import { postOutput, velocityAt, withFolder } from '../../support/store-records.ts';

const FEW = 10;
const posts = (seq: number, from: number, count: number) =>
  Array.from({ length: count }, (_, n) => postOutput(seq, String(from + n), n));

/** Outputs of a store with many latest values, after `change` was done to its rows. */
async function withMany(
  use: (outputs: ReturnType<typeof openOutputs>) => Promise<void>,
  change: (environment: Environment) => void = () => undefined,
): Promise<void> {
  await withFolder(async (folder) => {
    const store = await openStore(folder);
    await store.outputs.append(posts(1, 0, 350), 1);
    await store.close();
    const environment = await openEnvironment(folder, { isReadOnly: false });
    try {
      await environment.root.batch(() => change(environment));
      await use(openOutputs(environment, FEW));
    } finally {
      await environment.close();
    }
  });
}

const pause = async () => {
  await nextLoop();
  return true;
};

describe('openOutputs, with many latest values', () => {
  it('finds a missing one while it looks through them', async () => {
    await withMany(
      async (outputs) => {
        assert.equal(outputs.latest('posts').length, 349);
        await assert.rejects(outputs.check(pause), { code: 'STORE_CORRUPT' });
      },
      ({ latest }) => void latest.remove(['posts', 'a/200']),
    );
  });

  it('finds them complete, whatever is written meanwhile', async () => {
    const anyWrites = fc.array(
      fc.record({ step: fc.nat({ max: 3 }), from: fc.nat({ max: 400 }), count: fc.nat({ max: 5 }) }),
      { maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(anyWrites, (writes) =>
        withMany(async (outputs) => {
          let step = 0;
          let seq = 1;
          await outputs.check(async () => {
            for (const { from, count } of writes.filter((write) => write.step === step)) {
              seq += 1;
              await outputs.append([...posts(seq, from, count), velocityAt(seq)], seq);
            }
            step += 1;
            return true;
          });
          await outputs.append([velocityAt(seq + 1)], seq + 1);
          await openOutputsAgain(outputs);
        }),
      ),
      { numRuns: 10 },
    );
  });

  it('stops when it is told to', async () => {
    await withMany(async (outputs) => {
      let pauses = 0;
      await outputs.check(async () => {
        pauses += 1;
        return false;
      });
      assert.equal(pauses, 1);
    });
  });
});

/** A second look has nothing left to do. */
async function openOutputsAgain(outputs: ReturnType<typeof openOutputs>): Promise<void> {
  await outputs.check(() => assert.fail('looked through again'));
}
