import assert from 'node:assert/strict';
import { map, of, take, timer } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { ticker } from '../../src/engine/ticker.ts';

describe('ticker', () => {
  it('ticks at whole seconds of the calendar', () => {
    const scheduler = new TestScheduler(assert.deepEqual);
    scheduler.run(({ flush }) => {
      const tickedAt: number[] = [];
      const wall = () => 10_000_300 + scheduler.now();
      const tick = () => {
        tickedAt.push(wall());
        return of(undefined);
      };
      ticker({ wall, mono: wall }, tick).pipe(take(3)).subscribe();
      flush();
      assert.deepEqual(tickedAt, [10_001_000, 10_002_000, 10_003_000]);
    });
  });

  it('ticks as seldom as it is told to', () => {
    const scheduler = new TestScheduler(assert.deepEqual);
    scheduler.run(({ flush }) => {
      const tickedAt: number[] = [];
      const wall = () => 10_000_300 + scheduler.now();
      const tick = () => {
        tickedAt.push(wall());
        return of(undefined);
      };
      ticker({ wall, mono: wall }, tick, 1, 10_000).pipe(take(2)).subscribe();
      flush();
      assert.deepEqual(tickedAt, [10_010_000, 10_020_000]);
    });
  });

  it('ticks four times a second when the calendar is sped up', () => {
    const scheduler = new TestScheduler(assert.deepEqual);
    scheduler.run(({ flush }) => {
      const tickedAt: number[] = [];
      const wall = () => 10_000_000 + 60 * scheduler.now();
      const tick = () => {
        tickedAt.push(scheduler.now());
        return of(undefined);
      };
      ticker({ wall, mono: wall }, tick, 60).pipe(take(4)).subscribe();
      flush();
      for (const [index, at] of tickedAt.entries()) {
        assert.equal(Math.round(wallAt(at) / 15_000) * 15_000, Math.round(wallAt(at)));
        assert.ok(index === 0 || Math.abs(at - (tickedAt[index - 1] ?? 0) - 250) < 1);
      }
    });
    function wallAt(real: number): number {
      return 10_000_000 + 60 * real;
    }
  });

  it('lets the seconds pass while a tick is being taken in', () => {
    const scheduler = new TestScheduler(assert.deepEqual);
    scheduler.run(({ flush }) => {
      const tickedAt: number[] = [];
      const wall = () => 10_000_000 + scheduler.now();
      const tick = () => {
        tickedAt.push(wall());
        return timer(tickedAt.length === 1 ? 4_500 : 1).pipe(map(() => undefined));
      };
      ticker({ wall, mono: wall }, tick).pipe(take(3)).subscribe();
      flush();
      assert.deepEqual(tickedAt, [10_001_000, 10_006_000, 10_007_000]);
    });
  });
});
