import assert from 'node:assert/strict';
import { overlaps, windowsOf } from '../../../src/research/backtest/windows.ts';

const HOUR_MS = 3_600_000;
const at = (text: string) => Date.parse(text);

function hoursOf(windows: readonly { readonly startAt: number; readonly endAt: number }[]): number[] {
  return windows.map(({ startAt, endAt }) => (endAt - startAt) / HOUR_MS);
}

describe('backtest windows', () => {
  it('runs weeks from Friday noon to Friday noon in New York, through a change of the clock', () => {
    const windows = windowsOf('weekly', at('2025-10-22T00:00:00Z'), at('2025-11-22T00:00:00Z'));
    assert.deepEqual(
      windows.map(({ startAt }) => new Date(startAt).toISOString()),
      [
        '2025-10-24T16:00:00.000Z',
        '2025-10-31T16:00:00.000Z',
        '2025-11-07T17:00:00.000Z',
        '2025-11-14T17:00:00.000Z',
      ],
    );
    assert.deepEqual(hoursOf(windows), [168, 169, 168, 168]);
  });

  it('runs two and three days from noon to noon, one after the other', () => {
    for (const [kind, hours] of [
      ['2d', 48],
      ['3d', 72],
    ] as const) {
      const windows = windowsOf(kind, at('2025-06-01T15:00:00Z'), at('2025-06-20T00:00:00Z'));
      assert.equal(windows[0]?.startAt, at('2025-06-01T16:00:00Z'));
      assert.deepEqual(new Set(hoursOf(windows)), new Set([hours]));
      for (const [index, { startAt }] of windows.slice(1).entries())
        assert.equal(startAt, windows[index]?.endAt);
    }
  });

  it('runs months from the first at midnight', () => {
    const windows = windowsOf('monthly', at('2025-01-15T00:00:00Z'), at('2025-05-01T05:00:00Z'));
    assert.deepEqual(hoursOf(windows), [28 * 24, 31 * 24 - 1, 30 * 24]);
    assert.equal(windows[0]?.startAt, at('2025-02-01T05:00:00Z'));
  });

  it('knows which windows lie in a gap', () => {
    const window = { startAt: 100, endAt: 200, total: null };
    assert.ok(overlaps(window, [{ fromAt: 150, toAt: 400 }]));
    assert.ok(!overlaps(window, [{ fromAt: 200, toAt: 400 }]));
  });
});
