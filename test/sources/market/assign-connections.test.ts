import assert from 'node:assert/strict';
import fc from 'fast-check';
import { assignToConnections } from '../../../src/sources/market/assign-connections.ts';

describe('assignToConnections', () => {
  it('places every id once, none over the limit, and moves none that stays', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 0, max: 40 }).map(String), { maxLength: 30 });
    fc.assert(
      fc.property(
        fc.array(ids, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 9 }),
        (steps, limit) => {
          let shards: readonly ReadonlySet<string>[] = [];
          for (const step of steps) {
            const before = new Map(shards.flatMap((shard, index) => [...shard].map((id) => [id, index])));
            shards = assignToConnections(shards, new Set(step), limit);
            const placed = shards.flatMap((shard) => [...shard]);
            assert.deepEqual([...placed].sort(), [...step].sort());
            assert.ok(shards.every(({ size }) => size <= limit));
            for (const [index, shard] of shards.entries()) {
              for (const id of shard) assert.equal(before.get(id) ?? index, index);
            }
          }
        },
      ),
    );
  });
});
