import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeOutputsEntry, encodeOutputsEntry } from '../../../src/cluster/entries/outputs-entry.ts';
import { createRunner, emptyState } from '../../../streams/internal.ts';
import { anyLog } from '../../support/observations.ts';

describe('outputs entries', () => {
  it('come back with the very texts that are stored', () => {
    fc.assert(
      fc.property(anyLog(40), (observations) => {
        const runner = createRunner(emptyState());
        const outputs = observations.flatMap((observation) => runner.run(observation));
        const entry = { upTo: Math.max(1, observations.length), calendarAt: 5, outputs };
        const read = decodeOutputsEntry(encodeOutputsEntry(entry));
        const texts = outputs.map((output) => JSON.stringify(output));
        assert.deepEqual(
          read.outputs.map((output) => JSON.stringify(output)),
          texts,
        );
        assert.deepEqual([read.upTo, read.calendarAt], [entry.upTo, 5]);
      }),
      { numRuns: 20 },
    );
  });

  it('are refused when they are not what an engine writes', () => {
    const output = { stream: 'posts', key: 'k', seq: 3, at: 5, cause: 'new_post', record: {} };
    const entry = { upTo: 3, calendarAt: 5, outputs: [output] };
    const bytesOf = (value: unknown) => Buffer.from(`\x01${JSON.stringify(value)}`);
    assert.equal(decodeOutputsEntry(bytesOf(entry)).outputs.length, 1);
    for (const broken of [
      { ...entry, upTo: 2 },
      { ...entry, calendarAt: null },
      { ...entry, outputs: [{ ...output, stream: 'toString' }] },
      { ...entry, outputs: [{ ...output, seq: 'one' }] },
      { ...entry, outputs: [{ ...output, record: null }] },
      { ...entry, outputs: [null] },
    ]) {
      assert.throws(() => decodeOutputsEntry(bytesOf(broken)), { code: 'BUS_DAMAGED' });
    }
  });
});
