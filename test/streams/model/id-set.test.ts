import assert from 'node:assert/strict';
import fc from 'fast-check';
import { IdSet } from '../../../streams/model/id-set.ts';

const anyId = fc.oneof(
  fc.nat({ max: 200 }).map(String),
  fc.bigInt({ min: 0n, max: 9_999_999_999_999_999_999n }).map(String),
  fc.constantFrom('007', '', ' 7', '-7', '7.0', '1e3', 'a/7', '8999999999999999999', '9000000000000000000'),
  fc.string({ maxLength: 3 }),
);

describe('IdSet', () => {
  it('has the ids that were added, and no others', () => {
    fc.assert(
      fc.property(fc.array(anyId, { maxLength: 200 }), fc.array(anyId), (added, asked) => {
        const ids = new IdSet();
        const expected = new Set<string>();
        for (const id of added) {
          assert.equal(ids.has(id), expected.has(id));
          ids.add(id);
          expected.add(id);
          assert.equal(ids.size, expected.size);
        }
        for (const id of [...added, ...asked]) assert.equal(ids.has(id), expected.has(id), id);
        assert.deepEqual(new Set(ids), expected);
        assert.deepEqual([...IdSet.from(JSON.parse(JSON.stringify(ids)))], [...ids]);
      }),
    );
  });

  it('is the same when it was written and read, whatever is done with it first', () => {
    fc.assert(
      fc.property(fc.array(anyId, { maxLength: 100 }), anyId, (added, id) => {
        const ids = new IdSet(added);
        const read = () => IdSet.from(JSON.parse(JSON.stringify(ids)));
        assert.equal(read().size, ids.size);
        assert.equal(read().has(id), ids.has(id));
        assert.deepEqual(read().toJSON(), ids.toJSON());
        const more = read();
        more.add(id);
        ids.add(id);
        assert.deepEqual([...more], [...ids]);
        assert.deepEqual(more.toJSON(), ids.toJSON());
      }),
    );
  });

  it('lists decimal ids by number', () => {
    const ids = new IdSet(['10', '9', 'x', '100', '1866000000000000000', '9']);
    assert.deepEqual([...ids], ['9', '10', '100', '1866000000000000000', 'x']);
  });

  it('is read as earlier versions wrote it', () => {
    const listed = { $ids: '9 10 1866000000000000000', others: ['', 'x'] };
    assert.deepEqual([...IdSet.from(listed)], ['9', '10', '1866000000000000000', '', 'x']);
    assert.deepEqual([...IdSet.from({ $ids: '', others: ['x'] })], ['x']);
  });

  it('is written as steps in base 36', () => {
    assert.deepEqual(new IdSet(['8999999999999999999', '35', '0', 'x']).toJSON(), {
      $idSteps: '0 z 1wdllqhza58f0',
      others: ['x'],
    });
  });
});
