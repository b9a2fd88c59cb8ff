import assert from 'node:assert/strict';
import { CRYPTO_SYMBOLS, spotPrice } from '../../../src/world/market/spot-price.ts';
import { HOUR_MS } from '../../../streams/internal.ts';
import { START_AT } from '../open.ts';

const [btc] = CRYPTO_SYMBOLS;

describe('spotPrice', () => {
  it('is a function of seed and time', () => {
    assert.equal(spotPrice(7, btc, START_AT), spotPrice(7, btc, START_AT + 999));
    assert.notEqual(spotPrice(7, btc, START_AT), spotPrice(8, btc, START_AT));
  });

  it('moves a little in a second and about half a percent in an hour', () => {
    const moves = (stepMs: number) => {
      const logs = Array.from({ length: 500 }, (_, index) => {
        const at = START_AT + index * 7 * HOUR_MS;
        return Math.log(spotPrice(7, btc, at + stepMs) / spotPrice(7, btc, at)) ** 2;
      });
      return Math.sqrt(logs.reduce((sum, value) => sum + value, 0) / logs.length);
    };
    assert.ok(moves(1_000) > 0.00002 && moves(1_000) < 0.0005, String(moves(1_000)));
    assert.ok(moves(HOUR_MS) > 0.003 && moves(HOUR_MS) < 0.012, String(moves(HOUR_MS)));
  });
});
