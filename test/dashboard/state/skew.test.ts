import assert from 'node:assert/strict';
import { createSkew } from '../../../src/dashboard/state/skew.ts';

describe('createSkew', () => {
  it('goes by the word that was quickest on its way', () => {
    const skew = createSkew();
    assert.equal(skew.take(1_000_000, 999_950), 50);
    assert.equal(skew.take(1_001_000, 1_001_700), 50);
    assert.equal(skew.take(1_002_000, 1_001_930), 70);
  });

  it('follows a clock that was set, ahead at once and back once the old words are forgotten', () => {
    const skew = createSkew();
    for (let second = 0; second < 20; second++) skew.take(second * 1_000, second * 1_000 + 10);
    assert.equal(skew.take(20_000, 20_010 - 300_000), 299_990);
    for (let second = 21; second < 30; second++) skew.take(second * 1_000, second * 1_000 + 10);
    assert.equal(skew.take(30_000, 30_010), -10);
  });
});
