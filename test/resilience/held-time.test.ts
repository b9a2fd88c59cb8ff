import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createHeldTime } from '../../src/resilience/held-time.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const NOON = Date.UTC(2026, 10, 15, 12);

/** A machine and a world whose clocks the test moves. */
function stage({ hasWorld = true, isConfirmed = true } = {}) {
  let passedMs = 0;
  let calendarMs = 0;
  let worldMs = 0;
  const isTelling = { now: hasWorld };
  const truth = () => NOON + passedMs;
  const time = createHeldTime({
    wall: () => truth() + calendarMs,
    sinceBoot: () => 7 * HOUR_MS + passedMs,
    world: () => (isTelling.now ? truth() + worldMs : undefined),
  });
  const pass = (ms: number) => {
    // As a service looks at the time, several times a second.
    for (let left = ms; left > 0; left -= 500) {
      passedMs += Math.min(500, left);
      time.now();
    }
  };
  if (isConfirmed) pass(2 * SECOND_MS);
  return {
    ...time,
    isTelling,
    truth,
    pass,
    setCalendar: (ms: number) => {
      calendarMs = ms;
    },
    setWorld: (ms: number) => {
      worldMs = ms;
    },
    errorMs: () => time.now() - truth(),
  };
}

describe('the time that is believed', () => {
  it('is the calendar, small corrections included', () => {
    const { pass, setCalendar, errorMs, doubt } = stage();
    pass(MINUTE_MS);
    assert.equal(errorMs(), 0);
    setCalendar(-1_500);
    pass(2 * SECOND_MS);
    assert.equal(errorMs(), -1_500);
    assert.equal(doubt(), undefined);
  });

  it('goes on as before while a calendar that was set disagrees with the world', () => {
    for (const byMs of [50 * HOUR_MS, -60 * HOUR_MS]) {
      const { pass, setCalendar, errorMs, doubt } = stage();
      setCalendar(byMs);
      pass(3 * 24 * HOUR_MS);
      assert.equal(errorMs(), 0);
      assert.deepEqual(doubt(), { sign: 'calendar', byMs });
      setCalendar(0);
      assert.equal(errorMs(), 0);
      pass(SECOND_MS);
      assert.equal(doubt(), undefined);
    }
  });

  it('follows a calendar with which the world agrees, after two minutes', () => {
    const { pass, setCalendar, setWorld, errorMs } = stage();
    setCalendar(50 * HOUR_MS);
    setWorld(50 * HOUR_MS);
    pass(2 * MINUTE_MS - 2 * SECOND_MS);
    assert.equal(errorMs(), 0);
    pass(4 * SECOND_MS);
    assert.equal(errorMs(), 50 * HOUR_MS);
  });

  it('follows a calendar about which nobody tells anything, after ten minutes', () => {
    const { pass, setCalendar, errorMs } = stage({ hasWorld: false });
    setCalendar(-HOUR_MS);
    pass(10 * MINUTE_MS - 2 * SECOND_MS);
    assert.equal(errorMs(), 0);
    pass(4 * SECOND_MS);
    assert.equal(errorMs(), -HOUR_MS);
  });

  it('takes the world for silent when it agrees with neither', () => {
    const { pass, setCalendar, setWorld, errorMs } = stage();
    setWorld(-300 * 24 * HOUR_MS);
    setCalendar(HOUR_MS);
    pass(9 * MINUTE_MS);
    assert.equal(errorMs(), 0);
    pass(2 * MINUTE_MS);
    assert.equal(errorMs(), HOUR_MS);
  });

  it('follows the world at once when its own beginning was never confirmed', () => {
    const { pass, setCalendar, setWorld, isTelling, errorMs } = stage({ hasWorld: false });
    setWorld(HOUR_MS);
    pass(MINUTE_MS);
    isTelling.now = true;
    setCalendar(HOUR_MS);
    pass(SECOND_MS);
    assert.equal(errorMs(), HOUR_MS);
  });

  it('looks at the machine once a second, also while the calendar is not believed', () => {
    let wall = NOON;
    let looks = 0;
    const sinceBoot = () => {
      looks += 1;
      return 1_000 + (wall % HOUR_MS);
    };
    const { now } = createHeldTime({ wall: () => wall, sinceBoot });
    wall += HOUR_MS;
    for (let call = 0; call < 1_000; call++) {
      wall += 2;
      assert.equal(now(), NOON + 2 * (call + 1));
    }
    assert.ok(looks <= 4, `${looks} looks in 2 s`);
  });

  it('moves on at once with a machine that slept', () => {
    let wall = NOON;
    let boot = 1_000;
    const { now, doubt } = createHeldTime({ wall: () => wall, sinceBoot: () => boot });
    wall += 8 * HOUR_MS;
    boot += 8 * HOUR_MS + 40;
    assert.equal(now(), NOON + 8 * HOUR_MS);
    assert.equal(doubt(), undefined);
  });

  it('is in doubt, but goes on, while the world is at another time', () => {
    const { pass, setWorld, errorMs, doubt } = stage();
    setWorld(-5 * HOUR_MS);
    pass(HOUR_MS);
    assert.equal(errorMs(), 0);
    assert.deepEqual(doubt(), { sign: 'world', byMs: -5 * HOUR_MS });
  });

  it('is never led astray by a calendar that is set now and then, as long as the world knows better', () => {
    const step = fc.record({
      byMs: fc.oneof(
        fc.integer({ min: -1_000 * HOUR_MS, max: 1_000 * HOUR_MS }),
        fc.integer({ min: -20_000, max: 20_000 }),
      ),
      forMs: fc.integer({ min: 1, max: 20 * MINUTE_MS }),
      isBack: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const { pass, setCalendar, errorMs } = stage();
        for (const { byMs, forMs, isBack } of steps) {
          setCalendar(byMs);
          pass(forMs);
          // Steps of a few seconds are taken for corrections, and the world tells the minute.
          assert.ok(Math.abs(errorMs()) <= 80_000, `${errorMs()} ms`);
          if (isBack) setCalendar(0);
          pass(SECOND_MS);
        }
      }),
      { numRuns: 200 },
    );
  });
});
