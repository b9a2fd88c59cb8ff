import assert from 'node:assert/strict';
import { createAbsentSlugs } from '../../../src/sources/crypto/absent-slugs.ts';
import { cryptoSlugs } from '../../../src/sources/crypto/crypto-slugs.ts';

const START = Date.parse('2026-04-09T13:59:30Z');

describe('createAbsentSlugs', () => {
  const [guess] = cryptoSlugs({ symbol: 'BTC', pair: 'BTCUSDT', slugNames: ['btc'] }, START);
  assert.ok(guess);

  it('leaves a guess that missed alone until its window is over', () => {
    const absent = createAbsentSlugs();
    assert.deepEqual(absent.worthAsking([guess], START), [guess]);
    absent.add(guess, START);
    assert.deepEqual(absent.worthAsking([guess], guess.endAt - 1), []);
    assert.deepEqual(absent.worthAsking([guess], guess.endAt), [guess]);
  });

  it('asks again after the calendar was ahead', () => {
    const absent = createAbsentSlugs();
    absent.add(guess, guess.startAt + 1);
    assert.deepEqual(absent.worthAsking([guess], guess.startAt), [guess]);
  });

  it('tries a guess that missed before its window once more when it opens', () => {
    const absent = createAbsentSlugs();
    absent.add(guess, guess.startAt - 1);
    assert.deepEqual(absent.worthAsking([guess], guess.startAt - 1), []);
    assert.deepEqual(absent.worthAsking([guess], guess.startAt), [guess]);
    absent.add(guess, guess.startAt);
    assert.deepEqual(absent.worthAsking([guess], guess.endAt - 1), []);
  });
});
