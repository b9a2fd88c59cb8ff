import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fitModel } from '../../../../streams/model/forecast/fit.ts';
import { accountNow, inputsAt } from '../../../../streams/model/forecast/inputs.ts';
import { accountSeries } from '../../../../streams/model/forecast/series.ts';
import { HORIZONS } from '../../../../streams/model/forecast/training.ts';
import { RECORD_HOURS, wideningAt, wideningOf } from '../../../../streams/model/forecast/widening.ts';
import { createDraw, DAY_MS, FIRST_AT, HOUR_MS, syntheticPosts } from './synthetic.ts';

const ALL_HOURS: readonly number[] = HORIZONS;
const EXPECTED = 100;
const DISPERSION = 0.1;

/** The factors after targets with these counts, all at one horizon, of each of which 100 was expected. */
function factorsAfter(counts: readonly number[], hours = 48): readonly number[] | undefined {
  const rows = counts.length;
  const targets = {
    rows,
    horizon: new Uint8Array(rows).fill(ALL_HOURS.indexOf(hours)),
    count: Float64Array.from(counts),
  };
  return wideningOf(targets, new Float64Array(rows).fill(EXPECTED), new Float64Array(rows).fill(DISPERSION));
}

function factorAfter(counts: readonly number[], hours = 48): number {
  return wideningAt(factorsAfter(counts, hours), hours);
}

/** So many targets, of which each `every`-th ended outside p5 to p95: at a count that no widening holds. */
function withMisses(length: number, every: number, miss = 600): number[] {
  return Array.from({ length }, (_, index) => (index % every === every - 1 ? miss : EXPECTED));
}

describe('widening', () => {
  it('is none for a record that keeps what was promised', () => {
    assert.equal(factorsAfter([]), undefined);
    assert.equal(factorsAfter(withMisses(1_000, 2_000)), undefined);
    // One in ten outside, as promised: what a miss adds is taken back before the next one.
    assert.equal(factorsAfter([...withMisses(1_000, 10), ...withMisses(10, 20)]), undefined);
  });

  it('grows with the share of targets that ended outside, either way, up to four', () => {
    for (const miss of [0, 600]) {
      const [few = 0, some = 0, many = 0] = [6, 5, 3].map((every) =>
        factorAfter(withMisses(300, every, miss)),
      );
      assert.ok(few > 1 && few < some && some < many, `${few} ${some} ${many}`);
      assert.ok(Math.abs(factorAfter(withMisses(1_000, 1, miss)) - 4) < 1e-12);
    }
  });

  it('stops where the widened forecast holds what it promises', () => {
    // p95 of the model is 160. A third of the targets end a little above, which half as much again holds.
    const factor = factorAfter(withMisses(3_000, 3, 170));
    assert.ok(factor > 1.1 && factor < 1.5, String(factor));
  });

  it('is slow: ten misses in a row widen by a third, and a good record takes back all', () => {
    const misses = withMisses(10, 1);
    const factor = factorAfter(misses);
    assert.ok(factor > 1.2 && factor < 1.4, String(factor));
    assert.ok(factorAfter([...misses, ...withMisses(20, 40)]) < factor);
    assert.equal(factorAfter([...misses, ...withMisses(100, 200)]), 1);
  });

  it('never makes a forecast narrower than the model, and is the same each time', () => {
    const counts = fc.array(fc.nat(800), { maxLength: 400 });
    fc.assert(
      fc.property(
        counts,
        fc.constantFrom(...RECORD_HOURS),
        fc.double({ min: 0, max: 2_000, noNaN: true }),
        (some, hours, at) => {
          const factors = factorsAfter(some, hours);
          assert.deepEqual(factorsAfter(some, hours), factors);
          assert.ok(factors?.some((factor) => factor > 1) ?? true);
          const factor = wideningAt(factors, at);
          assert.ok(factor >= 1 && factor <= 4 + 1e-12, String(factor));
        },
      ),
    );
  });

  it('never becomes narrower for a miss more', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 300 }), fc.nat(299), (isMiss, at) => {
        const counts = isMiss.map((miss) => (miss ? 600 : EXPECTED));
        const worse = counts.map((count, index) => (index === at ? 600 : count));
        // A count of 600 is outside and one of 100 inside of every width, so that the records differ in the miss alone.
        assert.ok(factorAfter(worse) >= factorAfter(counts) - 1e-12);
      }),
    );
  });

  it('keeps a record of its own for each horizon from a day to a week', () => {
    assert.deepEqual(RECORD_HOURS, [24, 36, 48, 72, 96, 120, 168]);
    assert.deepEqual(
      factorsAfter(withMisses(90, 1), 72)?.map((factor) => factor > 1),
      RECORD_HOURS.map((hours) => hours === 72),
    );
    for (const hours of [3, 12, 336, 720]) assert.equal(factorsAfter(withMisses(90, 1), hours), undefined);
  });

  it('fades within the last day, is that of a week beyond, and never jumps', () => {
    const factors = RECORD_HOURS.map((_, index) => 1.5 + index / 10);
    assert.equal(wideningAt(factors, 0), 1);
    assert.equal(wideningAt(factors, 12), 1.25);
    for (const [index, hours] of RECORD_HOURS.entries())
      assert.equal(wideningAt(factors, hours), factors[index]);
    assert.ok(Math.abs(wideningAt(factors, 60) - 1.75) < 1e-12);
    assert.equal(wideningAt(factors, 720), factors.at(-1));
    for (let hours = 0; hours < 400; hours += 0.25) {
      assert.ok(Math.abs(wideningAt(factors, hours + 0.25) - wideningAt(factors, hours)) < 0.01);
    }
  });
});

/** A steady account whose days suddenly come to nothing or to three times as much. */
function restlessPosts(days: number, restlessFrom: number): Float64Array {
  const draw = createDraw(7);
  const posts: number[] = [];
  for (let hour = 0; hour < days * 24; hour++) {
    const day = Math.floor(hour / 24);
    const factor = day < restlessFrom ? 1 : [0, 3, 0, 0, 4, 1, 0, 2, 0, 3][(day * 7 + (day % 3)) % 10];
    const count = (factor ?? 0) * (draw() % 5);
    for (let post = 0; post < count; post++) posts.push(FIRST_AT + hour * HOUR_MS + (draw() % HOUR_MS));
  }
  return Float64Array.from(posts).sort();
}

describe('a fit', () => {
  const windowAt = (now: number, hours: number) => ({ startAt: now, endAt: now + hours * HOUR_MS, count: 0 });

  it('widens an account whose recent targets ended outside, and only its spread', () => {
    const now = FIRST_AT + 330 * DAY_MS;
    const series = accountSeries(restlessPosts(330, 300), FIRST_AT, now);
    const { widening, ...plain } = fitModel(series);
    assert.ok(wideningAt(widening, 24) > 1.05, JSON.stringify(widening));
    const account = accountNow(series);
    for (const hours of [6, 24, 60, 168, 400]) {
      const before = inputsAt(account, plain, windowAt(now, hours));
      const after = inputsAt(account, { ...plain, ...(widening && { widening }) }, windowAt(now, hours));
      assert.deepEqual({ ...after, dispersion: 0 }, { ...before, dispersion: 0 });
      assert.ok(after.dispersion >= before.dispersion);
    }
  }).timeout(20_000);

  it('leaves an account alone whose targets end inside', () => {
    const posts = Array.from({ length: 200 * 48 }, (_, index) => FIRST_AT + (index * HOUR_MS) / 2);
    assert.equal(fitModel(accountSeries(posts, FIRST_AT, FIRST_AT + 200 * DAY_MS)).widening, undefined);
  }).timeout(20_000);

  it('is not widened by what happens after it', () => {
    const posts = syntheticPosts(140, 3);
    const now = FIRST_AT + 120 * DAY_MS;
    const known = posts.filter((at) => at < now);
    assert.deepEqual(
      fitModel(accountSeries(posts, FIRST_AT, now)).widening,
      fitModel(accountSeries(known, FIRST_AT, now)).widening,
    );
  }).timeout(20_000);
});
