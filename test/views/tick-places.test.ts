import assert from 'node:assert/strict';
import { Subject } from 'rxjs';
import { watchTicks } from '../../src/views/tick-places.ts';
import type { Output } from '../../streams/internal.ts';
import { countersOutput, freshnessOutput, NOON } from '../support/outputs.ts';

function watched(most?: number) {
  const change$ = new Subject<readonly Output[]>();
  const { between } = watchTicks({ change$ }, most);
  return {
    tick: (seq: number) =>
      change$.next([countersOutput({}, { seq: seq - 1 }), freshnessOutput({}, { seq, at: NOON + seq })]),
    seqs: (afterSeq: number, upTo: number) => between(afterSeq, upTo)?.map(({ seq }) => seq),
    between,
  };
}

describe('watchTicks', () => {
  it('tells the ticks after an observation up to another, with their times', () => {
    const { tick, between, seqs } = watched();
    for (const seq of [10, 20, 30, 40]) tick(seq);
    assert.deepEqual(between(10, 30), [
      { seq: 20, at: NOON + 20 },
      { seq: 30, at: NOON + 30 },
    ]);
    assert.deepEqual(seqs(15, 29), [20]);
    assert.deepEqual(seqs(40, 90), []);
  });

  it('does not tell of a time in which there may have been others', () => {
    const { tick, seqs } = watched();
    assert.equal(seqs(0, 9), undefined);
    tick(10);
    assert.equal(seqs(9, 10), undefined);
    assert.deepEqual(seqs(10, 10), []);
  });

  it('remembers half of what it has room for at least', () => {
    const { tick, seqs } = watched(6);
    for (let seq = 1; seq <= 100; seq++) {
      tick(seq);
      if (seq < 4) continue;
      assert.deepEqual(seqs(seq - 2, seq), [seq - 1, seq]);
      assert.equal(seqs(seq - 6, seq), undefined);
    }
  });
});
