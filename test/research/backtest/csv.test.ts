import assert from 'node:assert/strict';
import { readNumbers } from '../../../src/research/backtest/csv.ts';
import { readWindows } from '../../../src/research/backtest/windows.ts';
import { useFolder } from './folder.ts';

describe('backtest csv', () => {
  const folder = useFolder();

  it('reads the named columns in any order, with empty cells where they are optional', async () => {
    const path = await folder.write('windows.csv', 'end_ts,name,start_ts,total\r\n20,x,10,\r\n40,y,30,7\r\n');
    assert.deepEqual(await readWindows(path), [
      { startAt: 10, endAt: 20, total: null },
      { startAt: 30, endAt: 40, total: 7 },
    ]);
  });

  it('does without an optional column', async () => {
    const path = await folder.write('bare.csv', 'start_ts,end_ts\n10,20\n');
    assert.deepEqual(await readWindows(path), [{ startAt: 10, endAt: 20, total: null }]);
  });

  it('names the column that is missing and the line that is no number', async () => {
    const path = await folder.write('bad.csv', 'created_ts\n1\nsoon\n');
    await assert.rejects(
      readNumbers(path, { required: ['created_ts'] }),
      /bad\.csv line 3 has soon, expected a number/,
    );
    await assert.rejects(readNumbers(path, { required: ['ts'] }), { code: 'BACKTEST_FILE' });
  });
});
