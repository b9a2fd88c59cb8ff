import assert from 'node:assert/strict';
import fc from 'fast-check';
import { csvLines } from '../../src/research/csv-lines.ts';

const written = (cells: readonly string[]) =>
  cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');

describe('lines of CSV', () => {
  it('reads cells in quotes, and tells the line on which each record begins', () => {
    const text = '\uFEFFid,text\r\n1,"a, ""b""\nand c"\r\n\r\n2,plain\n';
    assert.deepEqual(csvLines(text, 'x.csv'), [
      { line: 1, cells: ['id', 'text'] },
      { line: 2, cells: ['1', 'a, "b"\nand c'] },
      { line: 5, cells: ['2', 'plain'] },
    ]);
  });

  it('refuses a quote that is never closed, with its line', () => {
    assert.throws(
      () => csvLines('id\n1\n"2\n3\n', 'x.csv'),
      /x\.csv line 3 has a quote that is never closed/,
    );
  });

  it('gives back whatever was written', () =>
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.string(), { minLength: 2, maxLength: 4 }), { minLength: 1 }),
        (records) => {
          const text = records.map((cells) => `${written(cells)}\n`).join('');
          assert.deepEqual(
            csvLines(text, 'x.csv').map(({ cells }) => cells),
            records,
          );
        },
      ),
    ));
});
