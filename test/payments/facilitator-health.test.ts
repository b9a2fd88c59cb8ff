import assert from 'node:assert/strict';
import { createFacilitatorHealth } from '../../src/payments/facilitator-health.ts';

describe('createFacilitatorHealth', () => {
  let clock: { ms: number };
  let answers: boolean;
  let asked: number;
  const create = () =>
    createFacilitatorHealth(
      async () => {
        asked++;
        return answers;
      },
      () => clock.ms,
    );
  beforeEach(() => {
    clock = { ms: 0 };
    answers = false;
    asked = 0;
  });
  const fail = (health: ReturnType<typeof create>, ids: readonly string[]) => {
    for (const id of ids) health.unanswered(id);
    return health.check();
  };

  it('asks the facilitator itself after five unanswered payments in a row, and believes that alone', async () => {
    for (const isUp of [true, false]) {
      answers = isUp;
      const health = create();
      await fail(health, ['a', 'b', 'c', 'd', 'e']);
      assert.equal(health.isDown(), !isUp);
    }
    assert.equal(asked, 2);
  });

  it('does not count one payment twice, nor those before an answer', async () => {
    const health = create();
    await fail(health, ['a', 'a', 'a', 'a', 'a', 'b', 'c']);
    health.answered();
    await fail(health, ['d', 'e', 'f', 'g']);
    assert.deepEqual([asked, health.isDown()], [0, false]);
  });

  it('asks again every half minute while it is down, and no more often', async () => {
    const health = create();
    await fail(health, ['a', 'b', 'c', 'd', 'e']);
    for (clock.ms = 0; clock.ms < 90_000; clock.ms += 1_000) await health.check();
    assert.equal(asked, 3);
    answers = true;
    await health.check();
    assert.equal(health.isDown(), false);
    clock.ms += 60_000;
    await health.check();
    assert.equal(asked, 4);
  });

  it('is over with any answer about a payment', async () => {
    const health = create();
    await fail(health, ['a', 'b', 'c', 'd', 'e']);
    health.answered();
    assert.equal(health.isDown(), false);
  });
});
