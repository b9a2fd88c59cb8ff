import assert from 'node:assert/strict';
import fc from 'fast-check';
import { asymmetryEdge } from '../../../streams/model/asymmetry.ts';

describe('asymmetryEdge', () => {
  it('is positive exactly while the trading page lags behind the oracle', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (oracle, ui) => {
        const edge = asymmetryEdge(oracle, ui) ?? Number.NaN;
        assert.equal(Math.sign(edge), Math.sign(oracle - ui));
        assert.equal(edge + ui, oracle);
      }),
    );
  });

  it('is unknown with either side', () => {
    assert.deepEqual([asymmetryEdge(null, 3), asymmetryEdge(3, null), asymmetryEdge(0, 0)], [null, null, 0]);
  });
});
