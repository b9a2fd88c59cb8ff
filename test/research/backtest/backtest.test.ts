import assert from 'node:assert/strict';
import { backtest } from '../../../src/research/backtest/backtest.ts';
import { reportOf } from '../../../src/research/backtest/summary.ts';
import { DAY_MS, FIRST_AT, HOUR_MS, syntheticPosts } from '../../streams/model/forecast/synthetic.ts';
import { postsCsv, useFolder } from './folder.ts';

const DAYS = 76;
const posts = syntheticPosts(DAYS);

describe('backtest', function () {
  this.timeout(120_000);
  const folder = useFolder();

  function run(path: string, windows: string, signal = new AbortController().signal) {
    const progress: number[] = [];
    const options = { posts: path, windows, everyMs: 12 * HOUR_MS, signal };
    return backtest({ ...options, onProgress: (done) => progress.push(done) }).then((rows) => ({
      rows,
      progress,
    }));
  }

  it('forecasts every window that the posts hold whole, after eight weeks', async () => {
    const { rows, progress } = await run(await folder.write('posts.csv', postsCsv(posts)), '3d');
    assert.equal(rows.length % 6, 0);
    assert.ok(rows.length >= 6 * 5);
    assert.deepEqual(
      progress,
      Array.from(rows, (_, index) => index + 1),
    );
    for (const { originAt, startAt, endAt, count, final, p5, p50, p95, quantiles } of rows) {
      assert.ok(startAt >= FIRST_AT + 56 * DAY_MS && originAt >= startAt && originAt < endAt);
      assert.equal(count, posts.filter((at) => at >= startAt && at < originAt).length);
      assert.equal(final, posts.filter((at) => at >= startAt && at < endAt).length);
      assert.equal(quantiles.length, 99);
      assert.deepEqual([quantiles[4], quantiles[49], quantiles[94]], [p5, p50, p95]);
    }
    const report = reportOf(rows);
    assert.ok(report !== null);
    const usual = Object.keys(report.by_horizon).filter((hours) => Number(hours) % 12 === 0);
    assert.deepEqual(usual, ['12', '24', '36', '48', '60', '72']);
    assert.equal(report.overall.n, rows.length);
    assert.ok(report.overall.crps > 0 && report.overall.crps_pace > 0);
  });

  it('makes the same forecasts whatever happens after them', async () => {
    const cutAt = FIRST_AT + 66 * DAY_MS + 3 * HOUR_MS;
    const noise = Array.from({ length: 14 * 48 }, (_, index) => cutAt + index * (HOUR_MS / 2));
    const changed = [...posts.filter((at) => at < cutAt), ...noise];
    const before = await run(folder.path('posts.csv'), '2d');
    const after = await run(await folder.write('noise.csv', postsCsv(changed)), '2d');
    const early = ({ rows }: typeof before) =>
      rows
        .filter(({ originAt }) => originAt <= cutAt)
        .map(({ final: _, scores: __, ...forecast }) => forecast);
    assert.ok(early(before).length > 12);
    assert.deepEqual(early(after), early(before));
    assert.notDeepEqual(after.rows, before.rows);
  });

  it('takes windows from a file, with the total it gives or none while the end is unknown', async () => {
    const start = FIRST_AT + 60 * DAY_MS;
    const lines = [
      `${start},${start + DAY_MS},123`,
      `${FIRST_AT + (DAYS - 1) * DAY_MS},${FIRST_AT + (DAYS + 1) * DAY_MS},`,
    ];
    const windows = await folder.write('windows.csv', `start_ts,end_ts,total\n${lines.join('\n')}\n`);
    const { rows } = await run(folder.path('posts.csv'), windows);
    assert.deepEqual(
      rows.map(({ final }) => final),
      [123, 123, null, null, null, null],
    );
    assert.equal(rows[2]?.scores, null);
  });

  it('rejects when there is nothing to forecast', async () => {
    const few = await folder.write('few.csv', postsCsv(posts.subarray(0, 50)));
    await assert.rejects(run(few, 'weekly'), { code: 'BACKTEST_EMPTY' });
    await assert.rejects(run(await folder.write('none.csv', 'created_ts\n'), 'weekly'), {
      code: 'BACKTEST_EMPTY',
    });
  });

  it('stops when aborted', async () => {
    const stop = new AbortController();
    const running = run(folder.path('posts.csv'), '2d', stop.signal);
    stop.abort(new Error('enough'));
    await assert.rejects(running);
  });
});
