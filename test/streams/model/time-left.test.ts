import assert from 'node:assert/strict';
import fc from 'fast-check';
import { horizonOf, timeConfidence } from '../../../streams/model/time-left.ts';

const HOUR_MS = 3_600_000;
const ORDER = ['LOW', 'MEDIUM', 'HIGH'];
const anyLeft = fc.integer({ min: 0, max: 800 * HOUR_MS });

describe('timeConfidence', () => {
  it('is HIGH under 24 h, MEDIUM from there to 48 h, LOW above', () => {
    const left = [
      0,
      24 * HOUR_MS - 1,
      24 * HOUR_MS,
      48 * HOUR_MS,
      48 * HOUR_MS + 1,
      60 * HOUR_MS,
      99 * HOUR_MS,
    ];
    const expected = ['HIGH', 'HIGH', 'MEDIUM', 'MEDIUM', 'LOW', 'LOW', 'LOW'];
    assert.deepEqual(left.map(timeConfidence), expected);
  });

  it('never falls as the close comes nearer', () => {
    fc.assert(
      fc.property(anyLeft, anyLeft, (a, b) => {
        const [near, far] = [Math.min(a, b), Math.max(a, b)].map((left) =>
          ORDER.indexOf(timeConfidence(left)),
        );
        assert.ok((near ?? 0) >= (far ?? 0));
      }),
    );
  });
});

describe('horizonOf', () => {
  it('is the next scored horizon farther out, and none beyond the last', () => {
    const hours = [0, 1, 24, 24.1, 48, 48.1, 72, 72.1];
    assert.deepEqual(
      hours.map((left) => horizonOf(left * HOUR_MS)),
      [24, 24, 24, 48, 48, 72, 72, null],
    );
  });
});
