import { exp } from './forecast/exact.ts';

/** P(N >= k) for k from 0 to `most`, where N is Poisson distributed. */
export function poissonTail(mean: number, most: number): readonly number[] {
  const tail = [1];
  let term = exp(-mean);
  let rest = 1;
  for (let k = 1; k <= most; k++) {
    rest -= term;
    tail.push(Math.max(0, rest));
    term *= mean / k;
  }
  return tail;
}
