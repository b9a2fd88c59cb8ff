import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { createOutputLookup } from '../../src/views/output-lookup.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { anyTurns } from '../support/store-arbitraries.ts';

const SPAN_SEQS = 3;

const anyHash = fc.constantFrom(
  crc32,
  (key: string) => key.length % 2,
  () => 7,
);

describe('createOutputLookup', () => {
  it('finds the last output of each key, however often it is called, also where keys share a hash', () =>
    fc.assert(
      fc.asyncProperty(
        anyTurns,
        anyHash,
        fc.array(fc.tuple(fc.nat({ max: 26 }), fc.nat({ max: 26 })), { minLength: 1, maxLength: 6 }),
        async (turns, hashOf, ranges) => {
          const { outputs } = createMemoryStore();
          for (const turn of turns) await outputs.append(turn.outputs, turn.upTo);
          const said = turns.flatMap((turn) => turn.outputs).filter(({ stream }) => stream === 'posts');
          const ordered = said.toSorted((a, b) => a.seq - b.seq);
          const keys = new Set([...said.map(({ key }) => key), 'never said of']);
          const digests = createOutputLookup(outputs, { spanSeqs: SPAN_SEQS, hashOf });
          for (const [seq, floorSeq] of ranges) {
            const within = ordered.filter((output) => output.seq <= seq && output.seq >= floorSeq);
            const expected = new Map(within.map((output) => [output.key, JSON.stringify(output)]));
            const found = await digests.find('posts', keys, { seq, floorSeq });
            assert.deepEqual(new Map(found.map((output) => [output.key, JSON.stringify(output)])), expected);
          }
        },
      ),
    ));
});
