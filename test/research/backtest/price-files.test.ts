import assert from 'node:assert/strict';
import { marketAt } from '../../../src/research/backtest/market-prices.ts';
import { readPrices } from '../../../src/research/backtest/price-files.ts';
import { exportTable } from '../../../src/research/export/export.ts';
import { tableOf } from '../../../src/research/export/table.ts';
import { HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import { FIRST_AT, keep, recordedLog } from '../recorded/recorded-log.ts';
import { withStore } from '../small-log.ts';
import { useFolder } from './folder.ts';

const AT = Date.UTC(2026, 0, 31);
const WINDOW = { startAt: AT, endAt: AT + 48 * HOUR_MS, total: null };

describe('backtest prices', () => {
  const folder = useFolder();

  async function read(lines: readonly string[], account?: string) {
    const path = await folder.write('prices.csv', [...lines, ''].join('\n'));
    const [first] = await readPrices(path, [WINDOW], account);
    assert.ok(first !== undefined);
    return first;
  }

  const header = 'ts,bucket_lo,bucket_hi,price,start_ts,end_ts';

  it('gives a window its own prices, ascending', async () => {
    const own = await read([
      header,
      `${AT + HOUR_MS},20,,0.5,${AT},${WINDOW.endAt}`,
      `2026-01-31T00:00:00Z,0,19,0.25,${AT},${WINDOW.endAt}`,
      `${AT},0,,0.9,${AT},${AT + 7}`,
    ]);
    assert.deepEqual(own, {
      isOfChanges: false,
      prices: [
        { at: AT, lo: 0, hi: 19, price: 0.25 },
        { at: AT + HOUR_MS, lo: 20, hi: null, price: 0.5 },
      ],
    });
  });

  it('gives prices without a window to the one that is open', async () => {
    const own = await read([header, `${AT + HOUR_MS},0,,0.5,,`, `${AT + 50 * HOUR_MS},0,,0.5,,`]);
    assert.equal(own.prices.length, 1);
  });

  it('asks whose prices are meant where there are several', async () => {
    const lines = [`${header},account`, `${AT},0,,0.5,,,a`, `${AT},0,,0.25,,,b`];
    await assert.rejects(read(lines), /has prices of a, b: say whose with --account/);
    await assert.rejects(read(lines, 'c'), /has no prices of c, found a, b/);
    await assert.rejects(read([header, `${AT},0,,0.5,,`], 'a'), /has no column account/);
    assert.equal((await read(lines, 'b')).prices[0]?.price, 0.25);
  });

  it('refuses a line without a bucket or a price, and a list that is none', async () => {
    await assert.rejects(read([header, `${AT},,,0.5,,`]), /line 2 has nothing, expected a number/);
    await assert.rejects(read([header, `${AT},0,,,,`]), /line 2 has nothing, expected a number/);
    await assert.rejects(read(['ts,buckets', `${AT},x`]), /line 2 has no list of buckets/);
    await assert.rejects(read(['ts,buckets', `${AT},"[{""lo"":""x""}]"`]), /line 2 has no list of buckets/);
    await assert.rejects(read(['bucket_lo,price', '0,1']), /has no column ts or price_ts/);
  });

  it('reads what export prices and export minutes wrote as it is, window by window', () =>
    withStore(async (store, data) => {
      await keep(store, recordedLog([1, 1]));
      const windows = [0, 1].map((index) => {
        const startAt = FIRST_AT + index * 30 * HOUR_MS;
        return { startAt, endAt: startAt + 26 * HOUR_MS, total: null };
      });
      for (const name of ['prices', 'minutes']) {
        const table = tableOf(name);
        assert.ok(table);
        const { path } = await exportTable(store, {
          ...{ table, format: 'csv', version: '1.2.3', path: `${data}/${name}.csv` },
          ...{ onProgress: () => undefined, signal: new AbortController().signal },
        });
        const histories = await readPrices(path, windows);
        assert.equal(histories[0]?.isOfChanges, name === 'prices');
        for (const [index, history] of histories.entries()) {
          const startAt = windows[index]?.startAt ?? 0;
          // The middle bucket costs 0.4 when the window opens; the first whole minute is four minutes later.
          const opening = marketAt(history, startAt + (name === 'prices' ? 1 : 4) * MINUTE_MS);
          assert.deepEqual(
            opening?.map(({ lo, hi, prob }) => [lo, hi, Math.round(prob * 1e9) / 1e9]),
            [
              [0, 9, 0.3],
              [10, 19, 0.4],
              [20, null, 0.3],
            ],
          );
        }
      }
    }));
});
