import assert from 'node:assert/strict';
import type { Cell, ColumnHead, ColumnType } from '../../../src/research/export/columns.ts';
import { elementsOf, shred } from '../../../src/research/export/parquet-leaves.ts';

const head = (type: ColumnType, isNullable = false): ColumnHead => ({ name: 'x', type, isNullable });
const shredded = (column: ColumnHead, cells: readonly Cell[]) =>
  elementsOf(column).leaves.map((leaf) => shred(leaf, cells));

describe('shred', () => {
  it('needs no levels where nothing is null or a list', () =>
    assert.deepEqual(shredded(head('INT64'), [1, 2]), [
      { values: [1, 2], definitions: [], repetitions: [] },
    ]));

  it('marks nulls by their level', () =>
    assert.deepEqual(shredded(head('UTF8', true), ['a', null]), [
      { values: ['a', null], definitions: [1, 0], repetitions: [] },
    ]));

  it('marks where lists begin, and which are empty', () =>
    assert.deepEqual(shredded(head({ list: 'INT64' }), [[1, 2], [], [3]]), [
      { values: [1, 2, null, 3], definitions: [1, 1, 0, 1], repetitions: [0, 1, 0, 0] },
    ]));

  it('makes a leaf of every field of the structs in lists', () =>
    assert.deepEqual(
      shredded(head({ list: { struct: { lo: 'INT64', kind: 'UTF8' } } }), [
        [
          { lo: 1, kind: null },
          { lo: 2, kind: 'mid' },
        ],
        [],
      ]),
      [
        { values: [1, 2, null], definitions: [2, 2, 0], repetitions: [0, 1, 0] },
        { values: [null, 'mid', null], definitions: [1, 2, 0], repetitions: [0, 1, 0] },
      ],
    ));

  it('refuses a value of another type than its column', () => {
    const wrong: readonly [ColumnType, Cell][] = [
      ['INT64', 1.5],
      ['INT64', null],
      ['DOUBLE', '1'],
      ['BOOLEAN', 0],
      ['UTF8', true],
      [{ list: 'INT64' }, 1],
      [{ list: 'INT64' }, ['1']],
      [{ list: 'INT64' }, [null]],
      [{ list: { struct: { lo: 'INT64' } } }, [1]],
      [{ list: { struct: { lo: 'INT64' } } }, [{ lo: 'a' }]],
    ];
    for (const [type, cell] of wrong) {
      assert.throws(() => shredded(head(type), [cell]), TypeError, JSON.stringify([type, cell]));
    }
  });
});
