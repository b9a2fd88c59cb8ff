import { merge } from 'rxjs';
import { tagged } from '../../../streams/operators/tagged.ts';
import { marbles } from '../../support/marbles.ts';

describe('tagged', () => {
  it('names the stream of every value, and ends with it', () =>
    marbles(({ hot, expectObservable }) => {
      const post$ = hot(' a-----c-|', { a: 1, c: 2 });
      const price$ = hot('---b---|', { b: 3 });
      const expected = '  a--b--c-|';
      expectObservable(merge(tagged('post', post$), tagged('price', price$))).toBe(expected, {
        a: { type: 'post', value: 1 },
        b: { type: 'price', value: 3 },
        c: { type: 'post', value: 2 },
      });
    }));
});
