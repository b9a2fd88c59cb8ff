import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  afterLook,
  decodeLease,
  encodeLease,
  isHeldAt,
  mayTakeOver,
  untilNextLook,
  type Watch,
} from '../../src/bus/lease-rules.ts';

const LEASE = { owner: 'leader', term: 3, beat: 7 };

/** The watch of a standby that looked at these times, and saw these revisions. */
function watchOf(looks: readonly (readonly [at: number, revision: number])[]): Watch {
  const [first, ...rest] = looks;
  assert.ok(first);
  return rest.reduce<Watch>(
    (watch, [at, revision]) => afterLook(watch, at, revision),
    afterLook(undefined, ...first),
  );
}

const looksEvery = (ms: number, from: number, to: number, revision: number): [number, number][] =>
  Array.from({ length: Math.floor((to - from) / ms) + 1 }, (_, index) => [from + index * ms, revision]);

describe('a lease', () => {
  it('is taken at once where nobody ever led, or where it was released', () => {
    const watch = afterLook(undefined, 0, 0);
    assert.equal(mayTakeOver(watch, undefined), true);
    assert.equal(mayTakeOver(watch, { ...LEASE, owner: '' }), true);
    assert.equal(mayTakeOver(watch, LEASE), false);
  });

  it('is taken over after two seconds without a renewal, on the own clock', () => {
    const looks = looksEvery(250, 0, 1_750, 5);
    assert.equal(mayTakeOver(watchOf([...looks, [1_999, 5]]), LEASE), false);
    assert.equal(mayTakeOver(watchOf([...looks, [2_000, 5]]), LEASE), true);
  });

  it('is looked at four times a second, and at the moment at which it may be taken over', () => {
    assert.equal(untilNextLook(undefined, 0), 250);
    const looks = looksEvery(250, 0, 1_750, 5);
    assert.equal(untilNextLook(watchOf(looks), 1_750), 250);
    assert.equal(untilNextLook(watchOf(looks), 1_940), 60);
    assert.equal(untilNextLook(watchOf([...looks, [2_050, 5]]), 2_050), 250);
  });

  it('is not taken over when a renewal comes in between', () => {
    const looks = [...looksEvery(250, 0, 1_750, 5), ...looksEvery(250, 2_000, 3_750, 6)];
    assert.equal(mayTakeOver(watchOf(looks), LEASE), false);
  });

  it('is not taken over by a standby that was frozen or cut off itself', () => {
    const looks = [...looksEvery(250, 0, 500, 5), ...looksEvery(250, 60_000, 61_750, 5)];
    assert.equal(mayTakeOver(watchOf(looks), LEASE), false);
    assert.equal(mayTakeOver(watchOf([...looks, [62_000, 5]]), LEASE), true);
  });

  it('is held for a second and a half after its renewal was sent', () => {
    assert.equal(isHeldAt(1_500, 0), true);
    assert.equal(isHeldAt(1_501, 0), false);
  });

  it('survives being written and read', () => {
    assert.deepEqual(decodeLease(encodeLease(LEASE)), LEASE);
    assert.throws(() => decodeLease(Buffer.from('{"owner":"x"}')));
  });

  it('is never held by its leader any more when a standby takes it over', () => {
    const renewal = fc.record({
      pauseMs: fc.integer({ min: 0, max: 4_000 }),
      tripMs: fc.integer({ min: 0, max: 1_500 }),
    });
    const lookPause = fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 1, max: 400 }) },
      { weight: 1, arbitrary: fc.integer({ min: 400, max: 5_000 }) },
    );
    fc.assert(
      fc.property(
        fc.array(renewal, { minLength: 1, maxLength: 12 }),
        fc.array(lookPause, { minLength: 1, maxLength: 80 }),
        (renewals, pauses) => {
          let sentAt = 0;
          const sent = renewals.map(({ pauseMs, tripMs }) => {
            const own = sentAt + pauseMs;
            // The leader sends the next one when this one has been answered.
            sentAt = own + 2 * tripMs;
            return { sentAt: own, storedAt: own + tripMs };
          });
          let now = 0;
          let watch: Watch | undefined;
          for (const pause of pauses) {
            now += pause;
            const stored = sent.filter(({ storedAt }) => storedAt <= now);
            watch = afterLook(watch, now, stored.length);
            const newest = stored.at(-1);
            if (newest === undefined || !mayTakeOver(watch, LEASE)) continue;
            assert.equal(isHeldAt(now, newest.sentAt), false);
            return;
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
