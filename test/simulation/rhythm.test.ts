import assert from 'node:assert/strict';
import { faultsEndOf, stretchesOf } from './rhythm.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

describe('stretchesOf', () => {
  it('has an hour after the other where all of them are alike', () => {
    const stretches = stretchesOf('dense', 2.5);
    assert.deepEqual(
      stretches.map(({ fromMs, endMs }) => [fromMs / HOUR_MS, endMs / HOUR_MS]),
      [
        [0, 1],
        [1, 2],
        [2, 2.5],
      ],
    );
    for (const [hour, { faultsEndMs, isQuiet }] of stretches.entries())
      assert.ok(!isQuiet && faultsEndMs === faultsEndOf(hour, 2.5));
    assert.deepEqual(stretchesOf('sparse', 0.6), stretchesOf('dense', 0.6));
  });

  it('has some busy minutes a day after a busy hour, and is quiet in between', () => {
    const stretches = stretchesOf('sparse', 49);
    assert.deepEqual(
      stretches.map(({ fromMs, endMs, isQuiet }) => [fromMs / MINUTE_MS, endMs / MINUTE_MS, isQuiet]),
      [
        [0, 60, false],
        [60, 1_440, true],
        [1_440, 1_460, false],
        [1_460, 2_880, true],
        [2_880, 2_900, false],
        [2_900, 2_940, true],
      ],
    );
  });

  it('follows one upon the other to the end, with time to recover from every fault', () => {
    for (const hours of [0.3, 1, 1.5, 24, 24.2, 24.4, 100.1, 240]) {
      const stretches = stretchesOf('sparse', hours);
      let at = 0;
      for (const { fromMs, endMs, faultsEndMs, drawnEndMs, isQuiet } of stretches) {
        assert.ok(fromMs === at && endMs > fromMs && drawnEndMs >= faultsEndMs);
        assert.ok(isQuiet ? faultsEndMs === fromMs : faultsEndMs < endMs);
        at = endMs;
      }
      assert.equal(at, hours * HOUR_MS);
    }
    assert.equal(
      stretchesOf('sparse', 240).filter(({ isQuiet }) => !isQuiet).length,
      240 / (DAY_MS / HOUR_MS),
    );
  });
});
