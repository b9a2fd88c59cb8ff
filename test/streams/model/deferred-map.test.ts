import assert from 'node:assert/strict';
import fc from 'fast-check';
import { DeferredMap } from '../../../streams/model/deferred-map.ts';

const entriesOf = (written: Uint8Array): [string, number][] => JSON.parse(Buffer.from(written).toString());
const anyEntries = fc.uniqueArray(fc.tuple(fc.string({ maxLength: 2 }), fc.nat()), {
  maxLength: 5,
  selector: ([key]) => key,
});

/** All that can be done with a map, each with what it gives. */
const uses: Readonly<Record<string, (map: Map<string, number>) => unknown>> = {
  size: (map) => map.size,
  get: (map) => map.get('a'),
  has: (map) => map.has('a'),
  set: (map) => map.set('a', -1).get('a'),
  delete: (map) => map.delete('a'),
  clear: (map) => map.clear(),
  forEach: (map) => {
    const seen: unknown[] = [];
    map.forEach((value, key) => void seen.push([key, value]));
    return seen;
  },
  keys: (map) => [...map.keys()],
  values: (map) => [...map.values()],
  entries: (map) => [...map.entries()],
  iteration: (map) => [...map],
};

describe('DeferredMap', () => {
  for (const [name, use] of Object.entries(uses)) {
    it(`is like a usual map when ${name} is the first use`, () => {
      fc.assert(
        fc.property(anyEntries, (entries) => {
          const usual = new Map(entries);
          const deferred = new DeferredMap(Buffer.from(JSON.stringify(entries)), entriesOf);
          assert.deepEqual(use(deferred), use(usual));
          assert.deepEqual([...deferred], [...usual]);
        }),
      );
    });
  }

  it('is not read before it is used, and once then', () => {
    let reads = 0;
    const bytes = Buffer.from('[["a",1]]');
    const map = new DeferredMap(bytes, (written) => {
      reads += 1;
      return entriesOf(written);
    });
    assert.equal(map.written, bytes);
    assert.equal(reads, 0);
    assert.equal(map.get('a'), 1);
    assert.equal(map.get('b'), undefined);
    assert.equal(reads, 1);
    assert.equal(map.written, undefined);
  });
});
