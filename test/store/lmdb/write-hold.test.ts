import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createWriteHold } from '../../../src/store/lmdb/write-hold.ts';

describe('write hold', () => {
  it('begins a write at once while nothing is held', async () => {
    const { write } = createWriteHold();
    let begun = 0;
    const written = write(async () => ++begun);
    assert.equal(begun, 1);
    assert.equal(await written, 1);
  });

  it('never lets a write be under way while it holds, and begins those that waited in their order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('write', 'hold'), fc.nat(4)), { maxLength: 30 }),
        async (calls) => {
          const { write, whileHeld } = createWriteHold();
          const begun: number[] = [];
          let underWay = 0;
          let holding = 0;
          const turns = async (count: number) => {
            for (let turn = 0; turn < count; turn++) await Promise.resolve();
          };
          const done = calls.map(([kind, length], index) =>
            kind === 'write'
              ? write(async () => {
                  assert.equal(holding, 0);
                  underWay += 1;
                  begun.push(index);
                  await turns(length);
                  underWay -= 1;
                })
              : whileHeld(async () => {
                  assert.equal(underWay, 0);
                  holding += 1;
                  assert.equal(holding, 1);
                  await turns(length);
                  holding -= 1;
                }),
          );
          await Promise.all(done);
          assert.deepEqual(
            begun,
            calls.flatMap(([kind], index) => (kind === 'write' ? [index] : [])),
          );
        },
      ),
    );
  });

  it('gives up holding when a write does not end, and lets the others go on', async () => {
    const { write, whileHeld } = createWriteHold(1);
    let end: () => void = () => undefined;
    const stuck = write(
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    const held = whileHeld(() => assert.fail('held'));
    const later = write(async () => 'written');
    assert.equal(await held, false);
    assert.equal(await later, 'written');
    end();
    await stuck;
    assert.equal(await whileHeld(async () => undefined), true);
  });

  it('goes on after a write or a hold that failed', async () => {
    const { write, whileHeld } = createWriteHold();
    await assert.rejects(
      write(() => Promise.reject(new Error('refused'))),
      /refused/,
    );
    await assert.rejects(
      whileHeld(() => Promise.reject(new Error('failed'))),
      /failed/,
    );
    assert.equal(await write(async () => 'written'), 'written');
  });
});
