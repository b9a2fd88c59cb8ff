import assert from 'node:assert/strict';
import { from, of, Subject, throwError } from 'rxjs';
import { iterate } from '../../../src/client/feed/iterate.ts';
import type { UpdateFrame } from '../../../src/client/wire.ts';

function update(seq: number, key = 'test'): UpdateFrame<'test'> {
  return {
    type: 'update',
    channel: 'test',
    account: null,
    epoch: 'e',
    seq,
    prev_seq: seq - 1,
    ts: seq,
    cause: ['clock'],
    key,
    data: { observation: seq, ts: seq },
  };
}

describe('iterate', () => {
  it('yields every frame in order, also those that waited, and ends with the stream', async () => {
    const seqs: number[] = [];
    for await (const { seq } of iterate(from([update(1), update(2), update(3)]))) seqs.push(seq);
    assert.deepEqual(seqs, [1, 2, 3]);
  });

  it('throws the error of the stream', async () => {
    const failed = iterate(throwError(() => new Error('refused')));
    await assert.rejects(failed.next(), /refused/);
  });

  it('unsubscribes when the loop ends early', async () => {
    const frame$ = new Subject<UpdateFrame<'test'>>();
    const loop = iterate(frame$);
    const first = loop.next();
    frame$.next(update(1));
    assert.equal((await first).value?.seq, 1);
    assert.ok(frame$.observed);
    await loop.return();
    assert.ok(!frame$.observed);
  });

  it('subscribes only with its first turn', () => {
    const frame$ = new Subject<UpdateFrame<'test'>>();
    const loop = iterate(frame$);
    assert.ok(loop);
    assert.ok(!frame$.observed);
  });

  it('fails when too many frames wait, after those within the capacity', async () => {
    const loop = iterate(from([1, 2, 3, 4].map((seq) => update(seq))), { capacity: 3 });
    const seqs: number[] = [];
    await assert.rejects(
      async () => {
        for await (const { seq } of loop) seqs.push(seq);
      },
      { code: 'too_slow' },
    );
    assert.deepEqual(seqs, [1, 2, 3]);
  });

  it('drops frames that a later one of the same key replaces, and says how many', async () => {
    const frames = [update(1, 'a'), update(2, 'b'), update(3, 'a'), update(4, 'a'), update(5, 'c')];
    const got: string[] = [];
    for await (const frame of iterate(from(frames), { capacity: 3, overflow: 'newest' })) {
      got.push(`${frame.key}${frame.seq} after ${frame.prev_seq}, ${frame.merged ?? 0} merged`);
    }
    assert.deepEqual(got, ['b2 after 0, 1 merged', 'a4 after 2, 1 merged', 'c5 after 4, 0 merged']);
  });

  it('fails when no waiting frame can be dropped', async () => {
    const frames = ['a', 'b', 'c'].map((key, index) => update(index + 1, key));
    const loop = iterate(of(...frames), { capacity: 2, overflow: 'newest' });
    await loop.next();
    await loop.next();
    await assert.rejects(loop.next(), { code: 'too_slow' });
  });
});
