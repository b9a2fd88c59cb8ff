import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SourceError } from '../../src/errors.ts';
import { createPace, type Pace } from '../../src/sources/pace.ts';
import { takeIntervals, type VirtualIntervals } from '../support/virtual-intervals.ts';

const GAP_MS = 100;
const idle = () => new Promise(setImmediate);

describe('createPace', () => {
  let intervals: VirtualIntervals;
  let now: number;
  beforeEach(() => {
    intervals = takeIntervals();
    now = 0;
  });
  afterEach(() => intervals.restore());

  const mono = () => now;
  async function pass(ms: number) {
    for (const until = now + ms; now < until; ) {
      const step = Math.min(GAP_MS, until - now);
      now += step;
      intervals.advance(step);
      await idle();
    }
  }

  /** A source that asks again as soon as it was answered; gives when it asked. */
  function asker(pace: Pace, requests: number, isShared = false): readonly number[] {
    const askedAt: number[] = [];
    void (async () => {
      for (let request = 0; request < requests; request++) {
        await pace.run(async () => void askedAt.push(now), { isShared });
      }
    })();
    return askedAt;
  }

  it('lets everybody ask at any time without a gap', async () => {
    const pace = createPace({ askers: 200 });
    const all = Array.from({ length: 200 }, () => asker(pace, 3));
    await idle();
    assert.ok(all.every(({ length }) => length === 3));
    assert.equal(pace.roundMs, 0);
  });

  it('keeps the gap between two requests, and gives every source one turn before any has its next', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 8 }),
        async (wanted) => {
          const pace = createPace({ gapMs: GAP_MS, askers: wanted.length, mono });
          const all = wanted.map((requests) => asker(pace, requests));
          await idle();
          await pass(GAP_MS * 50);
          assert.deepEqual(
            all.map(({ length }) => length),
            wanted,
          );
          const order = all.flatMap((times, source) => times.map((at) => ({ at, source })));
          order.sort((a, b) => a.at - b.at);
          for (const [index, { at }] of order.entries()) {
            const next = order[index + 1];
            if (next !== undefined) assert.ok(next.at - at >= GAP_MS);
          }
          for (const times of all) {
            for (const [index, at] of times.entries()) {
              const next = times[index + 1];
              if (next !== undefined) assert.ok(next - at <= pace.roundMs);
            }
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('lets a request that serves all accounts go first, and the others between its requests', async () => {
    const pace = createPace({ gapMs: GAP_MS, askers: 4, mono });
    const own = [1, 2, 3].map(() => asker(pace, 4));
    const shared = asker(pace, 2, true);
    await idle();
    await pass(GAP_MS * 20);
    assert.deepEqual(shared, [100, 200]);
    assert.ok(own.every(({ length }) => length === 4));
  });

  const refused = (retryAfterMs?: number) => async () => {
    throw new SourceError('SOURCE_STATUS', 'too many requests', { status: 429, retryAfterMs });
  };
  const isHeld = (leftMs: number) => (error: unknown) =>
    error instanceof SourceError && error.status === 429 && error.retryAfterMs === leftMs;
  const answer = async () => 'answer';

  it('asks nobody’s request while the host wants to be left alone, whoever it told so', async () => {
    const pace = createPace({ mono });
    await assert.rejects(pace.run(refused(5_000)), /too many/);
    let requests = 0;
    const ask = async () => {
      requests += 1;
    };
    now = 2_000;
    await assert.rejects(pace.run(ask), isHeld(3_000));
    assert.equal(requests, 0);
    now = 5_000;
    await pace.run(ask);
    assert.equal(requests, 1);
  });

  it('refuses those who already wait for their turn, too', async () => {
    const pace = createPace({ gapMs: GAP_MS, mono });
    const first = assert.rejects(pace.run(refused(5_000)));
    const second = assert.rejects(pace.run(answer), isHeld(5_000 - GAP_MS));
    await idle();
    await pass(GAP_MS);
    await Promise.all([first, second]);
  });

  it('waits longer after each refusal that names no time, and forgets them with an answer', async () => {
    const pace = createPace({ mono });
    const holds: number[] = [];
    for (let refusal = 0; refusal < 5; refusal++) {
      await assert.rejects(pace.run(refused()));
      const held = await pace.run(answer).catch((error: SourceError) => error.retryAfterMs ?? 0);
      holds.push(Number(held));
      now += Number(held);
    }
    assert.deepEqual(holds, [1_000, 2_000, 4_000, 8_000, 8_000]);
    await pace.run(answer);
    await assert.rejects(pace.run(refused()));
    await assert.rejects(pace.run(answer), isHeld(1_000));
  });

  it('tries again after a minute, however long it was asked to wait', async () => {
    const pace = createPace({ mono });
    await assert.rejects(pace.run(refused(86_400_000)));
    now = 60_000;
    assert.equal(await pace.run(answer), 'answer');
  });

  it('does not hold back others for a failure that asks for no wait', async () => {
    const pace = createPace({ mono });
    await assert.rejects(
      pace.run(async () => {
        throw new SourceError('SOURCE_STATUS', 'broken', { status: 500 });
      }),
    );
    assert.equal(await pace.run(answer), 'answer');
  });

  it('keeps a longer gap once the host is known to allow less, and never a shorter one', async () => {
    const pace = createPace({ gapMs: GAP_MS, askers: 1, mono });
    pace.slowTo(3 * GAP_MS);
    pace.slowTo(2 * GAP_MS);
    const askedAt = asker(pace, 3);
    await idle();
    await pass(20 * GAP_MS);
    assert.deepEqual(askedAt, [0, 300, 600]);
  });

  it('asks each ten seconds though the host says that it allows nothing', async () => {
    const pace = createPace({ gapMs: GAP_MS, askers: 1, mono });
    pace.slowTo(Number.POSITIVE_INFINITY);
    const askedAt = asker(pace, 2);
    await idle();
    await pass(10_000);
    assert.deepEqual(askedAt, [0, 10_000]);
  });

  it('gives the turn of a request that was given up to the next', async () => {
    const pace = createPace({ gapMs: GAP_MS, mono });
    const controller = new AbortController();
    await pace.run(answer);
    const givenUp = assert.rejects(pace.run(answer, { signal: controller.signal }));
    const next = asker(pace, 1);
    controller.abort();
    await givenUp;
    await pass(GAP_MS);
    assert.deepEqual(next, [GAP_MS]);
    await assert.rejects(pace.run(answer, { signal: controller.signal }));
  });

  it('has no more requests under way than may be, of whatever outcome, and serves in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.record({ fails: fc.boolean(), turns: fc.integer({ min: 0, max: 3 }) }), {
          maxLength: 30,
        }),
        async (atOnce, requests) => {
          const pace = createPace({ atOnce, mono });
          const begun: number[] = [];
          let underWay = 0;
          const outcomes = requests.map(({ fails, turns }, index) =>
            pace.run(async () => {
              begun.push(index);
              underWay += 1;
              assert.ok(underWay <= atOnce, `${underWay} under way`);
              for (let turn = 0; turn < turns; turn++) await idle();
              underWay -= 1;
              if (fails) throw new SourceError('SOURCE_NETWORK', 'broke off');
            }),
          );
          const settled = await Promise.allSettled(outcomes);
          assert.deepEqual(
            settled.map(({ status }) => status === 'rejected'),
            requests.map(({ fails }) => fails),
          );
          assert.deepEqual(
            begun,
            requests.map((_, index) => index),
          );
        },
      ),
      { numRuns: 50 },
    );
  });
});
