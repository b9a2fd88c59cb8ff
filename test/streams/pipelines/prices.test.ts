import assert from 'node:assert/strict';
import { map } from 'rxjs';
import { DAY_MS, emptyState, type Quote } from '../../../streams/internal.ts';
import { prices as pricesPipeline } from '../../../streams/pipelines/prices.ts';
import { log, quote, tick } from '../../support/facts.ts';
import { marbles } from '../../support/marbles.ts';
import { lettered, neverFails, ofStream, run } from './run.ts';

const prices = (...quotes: Partial<Quote>[]) =>
  ({ kind: 'prices', eventId: 1, quotes: quotes.map(quote) }) as const;

describe('prices', () => {
  it('emits the middle of the book as it changes, each time once', () =>
    marbles(({ hot, expectObservable }) => {
      const wide = prices({ bid: 0.25, ask: 0.75 });
      const observation$ = hot(
        'w-w-n-t-|',
        lettered({ w: [1, wide], n: [2, prices({ bid: 0.25, ask: 0.5 })], t: [3, tick()] }),
      );
      const expected = '        w---n---|';
      const price$ = pricesPipeline({ observation$ }, new Map(), neverFails).pipe(
        map(({ record }) => record.price),
      );
      expectObservable(price$).toBe(expected, { w: 0.5, n: 0.375 });
    }));

  it('emits a price when a figure of it changes, and not again', () => {
    const book = { bid: 0.25, ask: 0.75, bidSize: 10 };
    const outputs = ofStream(
      run(
        log(
          [1, prices(book)],
          [2, prices(book)],
          [3, prices({ ...book, ask: 0.5 })],
          [4, prices({ ...book, ask: 0.5, askSize: 7 })],
          [5, prices({ ...book, ask: 0.5, askSize: 7 })],
        ),
      ),
      'prices',
    );
    const mid = { eventId: 1, token: 'yes', bid: 0.25, bidSize: 10, last: null, priceKind: 'mid' };
    assert.deepEqual(
      outputs.map(({ key, at, cause, record }) => [key, at, cause, record]),
      [
        ['yes', 1, 'price', { ...mid, ask: 0.75, askSize: null, price: 0.5, at: 1 }],
        ['yes', 3, 'price', { ...mid, ask: 0.5, askSize: null, price: 0.375, at: 3 }],
        ['yes', 4, 'price', { ...mid, ask: 0.5, askSize: 7, price: 0.375, at: 4 }],
      ],
    );
  });

  it('falls back from the book to the last trade and to the listing', () => {
    const steps = [
      prices({ bid: 0.25, ask: 0.75, last: 0.3, ui: 0.4 }),
      prices({ last: 0.3 }),
      prices({ ask: 0.9 }),
      prices({ ask: 0.2 }),
    ];
    const outputs = ofStream(run(log(...steps.map((fact, at) => [at, fact] as const))), 'prices');
    assert.deepEqual(
      outputs.map(({ record }) => [record.price, record.priceKind]),
      [
        [0.5, 'mid'],
        [0.3, 'last'],
        [0.4, 'ui'],
        [0.2, 'ui'],
      ],
    );
  });

  it('follows each figure that the price may come from', () => {
    const steps = [prices({ ui: 0.1 }), prices({ ui: 0.2 }), prices({ last: 0.3 }), prices({ last: 0.4 })];
    const outputs = ofStream(run(log(...steps.map((fact, at) => [at, fact] as const))), 'prices');
    assert.deepEqual(
      outputs.map(({ record }) => record.price),
      [0.1, 0.2, 0.3, 0.4],
    );
  });

  it('emits an unknown price as null', () => {
    const [output] = ofStream(run(log([1, prices({ bid: 0.1 })])), 'prices');
    assert.deepEqual([output?.record.price, output?.record.priceKind], [null, null]);
  });

  it('keeps tokens apart, and events', () => {
    const other = { ...prices({ bid: 0.1, ask: 0.2 }), eventId: 2 };
    const outputs = run(
      log([1, prices({ bid: 0.1, ask: 0.2 }, { token: 'b', ui: 0.1 })], [2, other], [3, other]),
    );
    assert.deepEqual(
      ofStream(outputs, 'prices').map(({ key, record }) => [key, record.eventId]),
      [
        ['yes', 1],
        ['b', 1],
        ['yes', 2],
      ],
    );
  });

  it('forgets the prices of an event two days after the last came', () => {
    const book = prices({ bid: 0.25, ask: 0.75 });
    const state = emptyState();
    run(log([0, book], [2 * DAY_MS, tick()]), state);
    assert.equal(state.prices.size, 1);
    run(log([2 * DAY_MS + 1, tick()]), state);
    assert.equal(state.prices.size, 0);
    assert.equal(ofStream(run(log([0, book], [2 * DAY_MS + 1, book])), 'prices').length, 2);
  });
});
