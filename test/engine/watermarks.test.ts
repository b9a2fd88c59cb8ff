import assert from 'node:assert/strict';
import { createWatermarks } from '../../src/engine/watermarks.ts';
import { manualClock } from '../support/clock.ts';

/** Those values, whatever happens. */
function only(...values: readonly string[]) {
  return () => values.map((value) => ({ value }));
}

describe('watermarks', () => {
  it('give the time since the last good answer, by name in order', () => {
    const clock = manualClock(1_000_000);
    const watermarks = createWatermarks(clock);
    watermarks.mark('posts:b', clock.mono());
    clock.advance(700);
    watermarks.mark('events', clock.mono());
    clock.advance(50);
    assert.equal(JSON.stringify(watermarks.ages().ages), '{"events":50,"posts:b":750}');
  });

  it('give the age of what an answer knows, when that is older than the answer', () => {
    const clock = manualClock(1_000_000);
    const watermarks = createWatermarks(clock);
    watermarks.mark('posts:a', clock.mono() - 200_000);
    clock.advance(50);
    assert.deepEqual(watermarks.ages().ages, { 'posts:a': 200_050 });
  });

  it('have no age for a source that never answered', () => {
    assert.deepEqual(createWatermarks(manualClock(0)).ages(), { ages: {} });
  });

  it('do not jump when the calendar is corrected', () => {
    const clock = manualClock(1_000_000);
    const watermarks = createWatermarks(clock);
    watermarks.mark('events', clock.mono());
    clock.advance(500);
    for (const step of [3_600_000, -86_400_000, 1_000]) {
      clock.step(step);
      assert.deepEqual(watermarks.ages().ages, { events: 500 });
    }
  });

  it('go on ageing across a restart', () => {
    const clock = manualClock(2_000_000);
    const watermarks = createWatermarks(clock);
    watermarks.restore({ ages: { events: 400 } }, 60_000);
    clock.advance(100);
    assert.deepEqual(watermarks.ages().ages, { events: 60_500 });
  });

  describe('of single values', () => {
    it('make no value look younger than its own last answer', () => {
      const clock = manualClock(1_000_000);
      const watermarks = createWatermarks(clock);
      watermarks.mark('oracle:a', clock.mono());
      watermarks.follow('oracle:a', only('x', 'y'), 20_000);
      watermarks.mark('oracle:a', clock.mono(), { x: clock.mono(), y: clock.mono() });
      clock.advance(12_000);
      watermarks.mark('oracle:a', clock.mono(), { x: clock.mono() });
      assert.deepEqual(watermarks.ages(), { ages: { 'oracle:a': 12_000 } });
      clock.advance(9_000);
      watermarks.mark('oracle:a', clock.mono(), { x: clock.mono() });
      assert.deepEqual(watermarks.ages(), {
        ages: { 'oracle:a': 0 },
        lagging: { 'oracle:a': { y: 21_000 } },
      });
    });

    it('count the wait for a value from the look that finds it', () => {
      const clock = manualClock(1_000_000);
      const watermarks = createWatermarks(clock);
      const values = [{ value: 'x' }];
      watermarks.mark('oracle:a', clock.mono(), { x: clock.mono() });
      watermarks.follow('oracle:a', () => values, 1_000);
      values.push({ value: 'y' });
      watermarks.look();
      clock.advance(25_000);
      watermarks.mark('oracle:a', clock.mono(), { x: clock.mono() });
      assert.deepEqual(watermarks.ages(), {
        ages: { 'oracle:a': 0 },
        lagging: { 'oracle:a': { y: 25_000 } },
      });
    });

    it('give the age of the source where every value is behind, and each its own', () => {
      const clock = manualClock(1_000_000);
      const watermarks = createWatermarks(clock);
      watermarks.mark('oracle:a', clock.mono());
      watermarks.follow('oracle:a', only('y', 'x'), 20_000);
      clock.advance(80_000);
      watermarks.mark('oracle:a', clock.mono());
      clock.advance(1_000);
      assert.equal(
        JSON.stringify(watermarks.ages()),
        '{"ages":{"oracle:a":1000},"lagging":{"oracle:a":{"x":81000,"y":81000}}}',
      );
    });

    it('tell nothing of values that are followed no more', () => {
      const clock = manualClock(1_000_000);
      const watermarks = createWatermarks(clock);
      watermarks.mark('ui:a', clock.mono());
      watermarks.follow('ui:a', only('1', '2'), 20_000);
      clock.advance(30_000);
      watermarks.follow('ui:a', only('2'), 20_000);
      watermarks.mark('ui:a', clock.mono(), { 1: clock.mono(), 2: clock.mono() });
      assert.deepEqual(watermarks.ages(), { ages: { 'ui:a': 0 } });
    });

    it('make a value that is followed again as old as its last answer', () => {
      const clock = manualClock(1_000_000);
      const watermarks = createWatermarks(clock);
      watermarks.mark('ui:a', clock.mono());
      watermarks.follow('ui:a', only('1', '2'), 20_000);
      watermarks.mark('ui:a', clock.mono(), { 1: clock.mono(), 2: clock.mono() });
      watermarks.follow('ui:a', only('2'), 20_000);
      watermarks.follow('ui:a', only('2', '3'), 20_000);
      clock.advance(30_000);
      watermarks.mark('ui:a', clock.mono(), { 2: clock.mono(), 3: clock.mono() });
      watermarks.follow('ui:a', only('1', '2', '3'), 20_000);
      assert.deepEqual(watermarks.ages(), { ages: { 'ui:a': 0 }, lagging: { 'ui:a': { 1: 30_000 } } });
    });

    it('take an answer about a value that is followed from the next look on', () => {
      const clock = manualClock(1_000_000);
      const watermarks = createWatermarks(clock);
      let values: readonly { readonly value: string; readonly isLogged: () => boolean }[] = [];
      watermarks.follow('ui:a', () => values, 20_000);
      watermarks.mark('ui:a', clock.mono(), { 1: clock.mono() });
      clock.advance(5_000);
      watermarks.mark('ui:a', clock.mono());
      values = [{ value: '1', isLogged: () => true }];
      assert.deepEqual(watermarks.ages(), { ages: { 'ui:a': 5_000 } });
    });

    it('forget values that are not followed and were answered long ago, and none that is followed', () => {
      const clock = manualClock(1_000_000);
      const watermarks = createWatermarks(clock);
      const values = ['a', 'b', 'old'];
      watermarks.follow('ui:a', only(...values), 20_000);
      watermarks.mark('ui:a', clock.mono());
      for (let event = 0; event <= 1_000; event += 1) {
        watermarks.mark('ui:a', clock.mono(), { [event]: clock.mono() });
      }
      watermarks.ages();
      clock.advance(30_000);
      watermarks.mark('ui:a', clock.mono());
      watermarks.follow('ui:a', only('0', '1', 'old'), 20_000);
      assert.deepEqual(watermarks.ages(), {
        ages: { 'ui:a': 0 },
        lagging: { 'ui:a': { 1: 30_000, old: 30_000 } },
      });
    });

    it('are those of the values that a name has at present, by the oldest of them', () => {
      const clock = manualClock(1_000_000);
      const watermarks = createWatermarks(clock);
      let tokens = ['a', 'b'];
      watermarks.mark('prices', clock.mono());
      const values = () => tokens.map((value) => ({ value, name: '1' }));
      watermarks.follow('prices', values, 20_000);
      const hear = (...heard: readonly string[]) =>
        watermarks.mark(
          'prices',
          clock.mono(),
          Object.fromEntries(heard.map((each) => [each, clock.mono()])),
        );
      hear('a', 'b');
      clock.advance(5_000);
      hear('b');
      assert.deepEqual(watermarks.ages(), { ages: { prices: 5_000 } });
      // Other buckets, of which nothing was heard, are as old as the wait for them.
      tokens = ['c', 'd'];
      assert.deepEqual(watermarks.ages(), { ages: { prices: 0 } });
      clock.advance(30_000);
      hear('c', 'd');
      assert.deepEqual(watermarks.ages(), { ages: { prices: 0 } });
      tokens = ['a', 'c'];
      assert.deepEqual(watermarks.ages(), { ages: { prices: 0 }, lagging: { prices: { 1: 35_000 } } });
      hear('a');
      assert.deepEqual(watermarks.ages(), { ages: { prices: 0 } });
    });

    it('make a value that only the log knows look old until it is answered, but not at a start', () => {
      const clock = manualClock(2_000_000);
      const watermarks = createWatermarks(clock);
      watermarks.restore({ ages: { prices: 400 }, lagging: { prices: { 2: 90_000 } } }, 10_000);
      let tokens: readonly (readonly [string, string])[] = [
        ['a', '1'],
        ['b', '2'],
      ];
      const values = () => tokens.map(([value, name]) => ({ value, name, isLogged: () => value !== 'd' }));
      watermarks.follow('prices', values, 20_000);
      const restored = { ages: { prices: 10_400 }, lagging: { prices: { 2: 100_000 } } };
      assert.deepEqual(watermarks.ages(), restored);
      // A source that starts again follows the same.
      watermarks.follow('prices', values, 20_000);
      assert.deepEqual(watermarks.ages(), restored);
      tokens = [
        ['c', '1'],
        ['d', '2'],
      ];
      assert.deepEqual(watermarks.ages(), { ages: { prices: 0 }, lagging: { prices: { 1: 86_400_000 } } });
      watermarks.mark('prices', clock.mono(), { c: clock.mono() });
      assert.deepEqual(watermarks.ages(), { ages: { prices: 0 } });
    });

    it('make a value as old as what another source told before, and look old where nobody knows when', () => {
      const clock = manualClock(2_000_000);
      const watermarks = createWatermarks(clock);
      let tokens: readonly string[] = [];
      const values = () =>
        tokens.map((value) => ({
          value,
          name: '1',
          isLogged: () => value !== 'new',
          toldBefore: ['events', '1'] as const,
        }));
      watermarks.follow('prices', values, 20_000);
      watermarks.mark('prices', clock.mono());
      tokens = ['a'];
      watermarks.look();
      assert.deepEqual(watermarks.ages(), { ages: { prices: 0 }, lagging: { prices: { 1: 86_400_000 } } });
      // What is heard within the turn that shows the event is noted after it.
      watermarks.mark('events', clock.mono(), { 1: clock.mono() - 3_000 });
      clock.advance(5_000);
      assert.deepEqual(watermarks.ages(), { ages: { events: 5_000, prices: 8_000 } });
      // Other buckets have no price that was told before.
      tokens = ['new'];
      assert.deepEqual(watermarks.ages(), { ages: { events: 5_000, prices: 0 } });
      tokens = ['a'];
      watermarks.mark('prices', clock.mono(), { a: clock.mono() });
      assert.deepEqual(watermarks.ages(), { ages: { events: 5_000, prices: 0 } });
    });

    it('have no lagging value of a source that never answered', () => {
      const clock = manualClock(1_000_000);
      const watermarks = createWatermarks(clock);
      watermarks.follow('ui:a', only('1'), 20_000);
      clock.advance(30_000);
      assert.deepEqual(watermarks.ages(), { ages: {} });
    });

    it('go on ageing across a restart, the others from where their source was', () => {
      const clock = manualClock(2_000_000);
      const watermarks = createWatermarks(clock);
      const left = { ages: { 'oracle:a': 400 }, lagging: { 'oracle:a': { y: 90_000 } } };
      watermarks.restore(left, 10_000);
      assert.deepEqual(watermarks.ages(), {
        ages: { 'oracle:a': 10_400 },
        lagging: { 'oracle:a': { y: 100_000 } },
      });
      watermarks.mark('oracle:a', clock.mono());
      watermarks.follow('oracle:a', only('x', 'y'), 20_000);
      assert.deepEqual(watermarks.ages(), {
        ages: { 'oracle:a': 10_400 },
        lagging: { 'oracle:a': { y: 100_000 } },
      });
    });
  });
});
