import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cosTurns, exp, ln, sinTurns } from '../../../../streams/model/forecast/exact.ts';

function assertClose(actual: number, expected: number, relative = 1e-13): void {
  const distance = Math.abs(actual - expected);
  assert.ok(distance <= relative * Math.abs(expected) || distance < 1e-300, `${actual} is not ${expected}`);
}

const finite = { noNaN: true, noDefaultInfinity: true };

describe('exact', () => {
  it('raises e to a power', () => {
    fc.assert(
      fc.property(fc.double({ min: -700, max: 709, ...finite }), (x) => assertClose(exp(x), Math.exp(x))),
    );
  });

  it('raises e to powers at the ends of the range', () => {
    assert.equal(exp(0), 1);
    assert.equal(exp(710), Number.POSITIVE_INFINITY);
    assert.equal(exp(-746), 0);
    assert.ok(exp(-744) > 0);
    assertClose(exp(709.7), Math.exp(709.7));
  });

  it('takes the logarithm', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-300, max: 1e300, ...finite }), (x) => {
        assert.ok(Math.abs(ln(x) - Math.log(x)) <= 1e-14 * Math.max(1e-3, Math.abs(Math.log(x))));
      }),
    );
    fc.assert(
      fc.property(fc.double({ min: 0.5, max: 2, ...finite }), (x) => assertClose(ln(x), Math.log(x))),
    );
  });

  it('takes the logarithm of what has none as Math does', () => {
    for (const x of [0, -1, 1, Number.POSITIVE_INFINITY]) assert.equal(ln(x), Math.log(x));
    assertClose(ln(5e-324), Math.log(5e-324));
  });

  it('turns around the circle', () => {
    fc.assert(
      fc.property(fc.double({ min: -3, max: 3, ...finite }), (turns) => {
        assert.ok(Math.abs(cosTurns(turns) - Math.cos(2 * Math.PI * turns)) < 1e-14);
        assert.ok(Math.abs(sinTurns(turns) - Math.sin(2 * Math.PI * turns)) < 1e-14);
      }),
    );
  });

  it('is exact at quarters of a turn', () => {
    assert.deepEqual(
      [0, 0.25, 0.5, 0.75, 1].map((turns) => cosTurns(turns) + 0),
      [1, 0, -1, 0, 1],
    );
    assert.deepEqual(
      [0, 0.25, 0.5, 0.75, 1].map((turns) => sinTurns(turns) + 0),
      [0, 1, 0, -1, 0],
    );
  });
});
