import assert from 'node:assert/strict';
import fc from 'fast-check';
import { nextPhaseAt, phaseAt } from '../../../streams/model/phase.ts';

const window = { startAt: 1_000, endAt: 2_000, isClosed: false };

describe('phaseAt', () => {
  it('opens at the start to the millisecond and ends at the end', () => {
    assert.deepEqual(
      [999, 1_000, 1_999, 2_000].map((now) => phaseAt(window, now)),
      ['upcoming', 'active', 'active', 'ended'],
    );
  });

  it('is closed at any time once the market has closed it', () => {
    for (const now of [0, 1_500, 3_000]) assert.equal(phaseAt({ ...window, isClosed: true }, now), 'closed');
  });

  it('is never active while the start is unknown, and ends all the same', () => {
    assert.deepEqual(
      [1_500, 2_000].map((now) => phaseAt({ ...window, startAt: null }, now)),
      ['upcoming', 'ended'],
    );
  });

  it('is never active when the start is not before the end', () => {
    for (const startAt of [2_000, 3_000])
      for (const now of [1_999, 2_000, 3_000])
        assert.notEqual(phaseAt({ ...window, startAt }, now), 'active');
  });
});

describe('nextPhaseAt', () => {
  it('is the first instant at which the phase differs', () => {
    const at = fc.nat({ max: 12 });
    const anyWindow = fc.record({ startAt: fc.option(at), endAt: at, isClosed: fc.boolean() });
    fc.assert(
      fc.property(anyWindow, at, (window, now) => {
        const later = Array.from({ length: 30 }, (_, index) => now + 1 + index);
        const first = later.find((instant) => phaseAt(window, instant) !== phaseAt(window, now));
        assert.equal(nextPhaseAt(window, now), first ?? Number.POSITIVE_INFINITY);
      }),
      { numRuns: 1_000 },
    );
  });
});
