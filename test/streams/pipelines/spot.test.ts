import assert from 'node:assert/strict';
import { map } from 'rxjs';
import { spot as spotPipeline } from '../../../streams/pipelines/spot.ts';
import { log } from '../../support/facts.ts';
import { marbles } from '../../support/marbles.ts';
import { lettered, neverFails, ofStream, run } from './run.ts';

const spot = (...ticks: readonly (readonly [symbol: string, price: number, at: number])[]) =>
  ({ kind: 'spot', ticks: ticks.map(([symbol, price, at]) => ({ symbol, price, at })) }) as const;

const emitted = (...facts: ReturnType<typeof spot>[]) =>
  ofStream(run(log(...facts.map((fact, at) => [at, fact] as const))), 'spot').map(({ key, seq, record }) => [
    key,
    seq,
    record.price,
    record.at,
  ]);

describe('spot', () => {
  it('emits each newer price as it comes', () =>
    marbles(({ hot, expectObservable }) => {
      const facts = lettered({ a: [1, spot(['X', 5, 1])], b: [2, spot(['X', 6, 2], ['Y', 7, 2])] });
      const observation$ = hot('a-a-b----|', facts);
      const expected = '        5---(67)-|';
      const price$ = spotPipeline({ observation$ }, new Map(), neverFails).pipe(
        map(({ record }) => String(record.price)),
      );
      expectObservable(price$).toBe(expected);
    }));

  it('emits each newer price of a symbol, and the same one once', () => {
    assert.deepEqual(emitted(spot(['X', 5, 1]), spot(['X', 5, 1], ['Y', 7, 1]), spot(['X', 5, 2])), [
      ['X', 1, 5, 1],
      ['Y', 2, 7, 1],
      ['X', 3, 5, 2],
    ]);
  });

  it('leaves an older price out and takes a correction of the same instant', () => {
    assert.deepEqual(emitted(spot(['X', 5, 2]), spot(['X', 9, 1]), spot(['X', 6, 2])), [
      ['X', 1, 5, 2],
      ['X', 3, 6, 2],
    ]);
  });

  it('takes several prices of a symbol in one fact in their order, each once', () => {
    assert.deepEqual(emitted(spot(['X', 5, 1], ['Y', 1, 1], ['X', 6, 1])), [
      ['X', 1, 5, 1],
      ['X', 1, 6, 1],
      ['Y', 1, 1, 1],
    ]);
  });

  it('takes the next price after one that a log has of a time to come', () => {
    const future = Date.UTC(2099, 0);
    assert.deepEqual(emitted(spot(['X', 5, future]), spot(['X', 6, 2]), spot(['X', 7, 3])), [
      ['X', 1, 5, future],
      ['X', 2, 6, 2],
      ['X', 3, 7, 3],
    ]);
  });
});
