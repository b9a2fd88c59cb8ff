import assert from 'node:assert/strict';
import fc from 'fast-check';
import { NEVER, Subject } from 'rxjs';
import type { Source } from '../../src/sources/source.ts';
import { secondPollMs, spreadOf, startSpread } from '../../src/sources/spread.ts';
import { collect, fakeLookups } from '../support/source-run.ts';
import { takeIntervals } from '../support/virtual-intervals.ts';

const SECOND_MS = 1_000;

describe('spreadOf', () => {
  it('polls the first account at the beginning of its period', () => {
    assert.equal(spreadOf(0), 0);
  });

  it('fills the period evenly for any number of accounts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 1_000 }), (accounts) => {
        const places = Array.from({ length: accounts }, (_, place) => spreadOf(place)).sort((a, b) => a - b);
        assert.ok(places.every((place) => place >= 0 && place < 1));
        const gaps = places.map((place, index) => (places[index + 1] ?? 1) - place);
        // With equal gaps each would be 1 / accounts.
        assert.ok(Math.max(...gaps) < 2 / accounts, `${Math.max(...gaps)} of ${1 / accounts}`);
        assert.ok(Math.min(...gaps) > 0.35 / accounts, `${Math.min(...gaps)} of ${1 / accounts}`);
      }),
    );
  });
});

describe('secondPollMs', () => {
  it('brings the polls of an account to its share of the period, after a start at that share of a second', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3_600_000 }), fc.nat(1_000), (periodMs, place) => {
        const spread = spreadOf(place);
        const secondMs = secondPollMs(periodMs, spread);
        assert.ok(secondMs > 0 && secondMs <= periodMs);
        const at = spread * Math.min(periodMs, SECOND_MS) + secondMs;
        const off = (at - spread * periodMs) / periodMs;
        assert.ok(Math.abs(off - Math.round(off)) < 1e-6, `${off}`);
      }),
    );
  });

  it('changes nothing for the first account, nor for periods of a second', () => {
    assert.equal(secondPollMs(9_700, 0), 9_700);
    assert.equal(secondPollMs(1_000, 0.6), 1_000);
  });
});

describe('startSpread', () => {
  it('starts a source at its share of a second, and not one that was stopped before', () => {
    const intervals = takeIntervals();
    try {
      let starts = 0;
      const source: Source = {
        name: 'posts:b',
        silentAfterMs: 1,
        run: () => {
          starts += 1;
          return NEVER;
        },
      };
      const { context } = collect(fakeLookups(), () => 0);
      const { run } = startSpread(source, 0.6);
      const stopped = run(context).subscribe();
      const subscription = run(context).subscribe();
      intervals.advance(599);
      stopped.unsubscribe();
      assert.equal(starts, 0);
      intervals.advance(1);
      assert.equal(starts, 1);
      subscription.unsubscribe();
    } finally {
      intervals.restore();
    }
  });

  it('ends with the failure of the source', () => {
    const intervals = takeIntervals();
    try {
      const failure = new Subject<never>();
      const source: Source = { name: 'posts:b', silentAfterMs: 1, run: () => failure };
      let error: unknown;
      startSpread(source, 0.1)
        .run(collect(fakeLookups(), () => 0).context)
        .subscribe({ error: (reason: unknown) => (error = reason) });
      intervals.advance(100);
      failure.error('down');
      assert.equal(error, 'down');
    } finally {
      intervals.restore();
    }
  });
});
