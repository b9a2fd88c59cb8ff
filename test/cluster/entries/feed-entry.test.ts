import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeFeedEntry, encodeFeedEntry, type FeedEntry } from '../../../src/cluster/entries/feed-entry.ts';

const seq = fc.nat();
const entries: fc.Arbitrary<FeedEntry> = fc.record(
  {
    epoch: fc.uuid(),
    upTo: seq,
    rows: fc.array(
      fc.record(
        { topic: fc.string(), seq, at: seq, text: fc.string({ unit: 'binary' }) },
        { noNullPrototype: true },
      ),
    ),
    topics: fc.array(
      fc.record({ topic: fc.string(), seq, keys: fc.array(fc.string()) }, { noNullPrototype: true }),
    ),
  },
  { noNullPrototype: true },
);

describe('a feed entry', () => {
  it('reads as it was written', () => {
    fc.assert(
      fc.property(entries, (entry) => {
        assert.deepEqual(decodeFeedEntry(encodeFeedEntry(entry)), entry);
      }),
    );
  });

  it('is refused when it is cut off, has another field, or is of another version', () => {
    const bytes = encodeFeedEntry({ epoch: 'e', upTo: 1, rows: [], topics: [] });
    const other = Buffer.concat([
      Buffer.of(1),
      Buffer.from('{"epoch":"e","upTo":1,"rows":[],"topics":[],"more":1}'),
    ]);
    for (const bad of [bytes.subarray(0, -1), bytes.subarray(0, 1), other]) {
      assert.throws(() => decodeFeedEntry(bad), { code: 'BUS_DAMAGED' });
    }
    const later = Buffer.from(bytes);
    later[0] = 2;
    assert.throws(() => decodeFeedEntry(later), { code: 'BUS_LAYOUT' });
  });
});
