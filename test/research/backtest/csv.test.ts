import assert from 'node:assert/strict';
import { readNumbers } from '../../../src/research/backtest/csv.ts';
import { readWindows } from '../../../src/research/backtest/windows.ts';
import { useFolder } from './folder.ts';

const AT = Date.UTC(2026, 0, 31);

describe('backtest csv', () => {
  const folder = useFolder();

  it('reads the named columns in any order, with empty cells where they are optional', async () => {
    const path = await folder.write(
      'windows.csv',
      `end_ts,name,start_ts,total\r\n${AT + 20},x,${AT + 10},\r\n${AT + 40},"y, z",${AT + 30},7\r\n`,
    );
    assert.deepEqual(await readWindows(path), [
      { startAt: AT + 10, endAt: AT + 20, total: null },
      { startAt: AT + 30, endAt: AT + 40, total: 7 },
    ]);
  });

  it('does without an optional column', async () => {
    const path = await folder.write('bare.csv', `start_ts,end_ts\n${AT},${AT + 1}\n`);
    assert.deepEqual(await readWindows(path), [{ startAt: AT, endAt: AT + 1, total: null }]);
  });

  it('takes times as ISO text, ms and seconds, under either of two names', async () => {
    const path = await folder.write(
      'times.csv',
      `id,created_at\n1,2026-01-31T00:00:00Z\n2,${AT}\n3,${AT / 1_000}\n4,2026-01-30 19:00:00-05\n`,
    );
    const rows = await readNumbers(path, { required: ['created_ts|created_at'] });
    assert.deepEqual(rows.flat(), [AT, AT, AT, AT]);
  });

  it('names the column that is missing and the line that is no number', async () => {
    const path = await folder.write('bad.csv', 'created_ts,n\n1,1\nsoon,x\n,2\n');
    await assert.rejects(
      readNumbers(path, { required: ['created_ts'] }),
      /bad\.csv line 3 has soon, expected a time such as 2026-01-31T10:00:00Z/,
    );
    await assert.rejects(readNumbers(path, { required: ['n'] }), /bad\.csv line 3 has x, expected a number/);
    await assert.rejects(readNumbers(path, { required: ['ts|price_ts'] }), {
      code: 'BACKTEST_FILE',
      message: /no column ts or price_ts, found created_ts, n/,
    });
    const local = await folder.write('local.csv', 'created_ts\n2026-01-31T10:00:00\n');
    await assert.rejects(readNumbers(local, { required: ['created_ts'] }), /\(with its zone\)/);
  });
});
