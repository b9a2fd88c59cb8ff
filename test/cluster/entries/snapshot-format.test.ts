import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  decodeSnapshot,
  encodeSnapshot,
  type SnapshotPart,
} from '../../../src/cluster/entries/snapshot-format.ts';

const seq = fc.nat();
const bytes = fc.uint8Array().map((array) => Buffer.from(array));
const parts: fc.Arbitrary<readonly SnapshotPart[]> = fc.array(
  fc.oneof(
    fc.record(
      {
        type: fc.constant('head' as const),
        epoch: fc.uuid(),
        outputsUpTo: seq,
        feedUpTo: seq,
      },
      { noNullPrototype: true },
    ),
    fc.record(
      { type: fc.constantFrom('kept' as const, 'passing' as const), outputs: fc.array(fc.json()) },
      { noNullPrototype: true },
    ),
    fc.record(
      { type: fc.constant('pack' as const), topic: fc.string(), seq, bytes },
      { noNullPrototype: true },
    ),
    fc.record(
      {
        type: fc.constant('rows' as const),
        rows: fc.array(
          fc.record({ topic: fc.string(), seq, at: seq, text: fc.string() }, { noNullPrototype: true }),
        ),
      },
      { noNullPrototype: true },
    ),
    fc.record(
      {
        type: fc.constant('topics' as const),
        topics: fc.array(
          fc.record({ topic: fc.string(), seq, keys: fc.array(fc.string()) }, { noNullPrototype: true }),
        ),
      },
      { noNullPrototype: true },
    ),
  ),
);

describe('the format of snapshots', () => {
  it('reads as it was written', () => {
    fc.assert(
      fc.property(parts, (written) => {
        assert.deepEqual([...decodeSnapshot(Buffer.concat([...encodeSnapshot(written)]))], written);
      }),
    );
  });

  it('is refused wherever it is cut off', () => {
    const whole = Buffer.concat([
      ...encodeSnapshot([
        { type: 'kept', outputs: ['{}'] },
        { type: 'pack', topic: 'test', seq: 9, bytes: Buffer.from('pack') },
      ]),
    ]);
    for (let length = 0; length < whole.length; length++) {
      assert.throws(() => [...decodeSnapshot(whole.subarray(0, length))], { code: 'BUS_DAMAGED' });
    }
  });
});
