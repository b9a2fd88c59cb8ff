import assert from 'node:assert/strict';
import { normalCdf } from '../../../src/world/market/normal.ts';

describe('normalCdf', () => {
  it('agrees with tabled values', () => {
    for (const [z, p] of [
      [0, 0.5],
      [1, 0.84134],
      [-1.96, 0.025],
      [3, 0.99865],
    ] as const) {
      assert.ok(Math.abs(normalCdf(z) - p) < 2e-5, `${z} ${normalCdf(z)}`);
    }
  });
});
