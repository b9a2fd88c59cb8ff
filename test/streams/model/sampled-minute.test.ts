import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MINUTE_MS } from '../../../streams/internal.ts';
import { minuteOf } from '../../../streams/model/sampled-minute.ts';

describe('minuteOf', () => {
  it('is the same for a minute and one more for the next, whatever the account', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), (account, at) => {
        const minute = minuteOf(account, at);
        assert.equal(minuteOf(account, at + MINUTE_MS), minute + 1);
        const within = Array.from({ length: 60 }, (_, second) => minuteOf(account, at + second * 1_000));
        assert.deepEqual(
          [...new Set(within)].filter((each) => each !== minute && each !== minute + 1),
          [],
        );
      }),
    );
  });

  it('begins at a whole second, at different ones for different accounts', () => {
    const seconds = new Set<number>();
    for (let index = 0; index < 200; index++) {
      const account = `account_${index}`;
      const first = minuteOf(account, 0);
      const begun = Array.from({ length: 61 }, (_, second) => second).find(
        (second) => minuteOf(account, second * 1_000) > first,
      );
      assert.equal(minuteOf(account, (begun ?? 0) * 1_000 - 1), first);
      seconds.add((begun ?? 0) % 60);
    }
    assert.ok(seconds.size > 40, `${seconds.size}`);
  });
});
