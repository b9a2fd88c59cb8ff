import assert from 'node:assert/strict';
import { isEmptyRange, logRange, outsideLog } from '../../src/research/log-range.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';

const seq = (number: number) => ({ by: 'seq', seq: number }) as const;
const time = (at: number) => ({ by: 'time', at }) as const;

describe('logRange', () => {
  it('is that of the first and the last observation, once there are some', async () => {
    const store = createMemoryStore();
    assert.equal(logRange(store), undefined);
    await store.journal.append([
      { seq: 1, receivedAt: 1_000, fact: { kind: 'tick', ages: {} } },
      { seq: 2, receivedAt: 2_000, fact: { kind: 'tick', ages: {} } },
    ]);
    assert.deepEqual(logRange(store), { first: { seq: 1, at: 1_000 }, last: { seq: 2, at: 2_000 } });
  });
});

describe('isEmptyRange', () => {
  it('compares what can be compared', () => {
    assert.equal(isEmptyRange(seq(2), seq(2)), true);
    assert.equal(isEmptyRange(seq(2), seq(3)), false);
    assert.equal(isEmptyRange(time(2), time(1)), true);
    assert.equal(isEmptyRange(time(2), seq(1)), false);
    assert.equal(isEmptyRange(undefined, seq(1)), false);
  });
});

describe('outsideLog', () => {
  const range = { first: { seq: 10, at: 1_000 }, last: { seq: 20, at: 2_000 } };

  it('says nothing of a range within the log, or of all there is', () => {
    assert.equal(outsideLog(range, undefined, undefined), undefined);
    assert.equal(outsideLog(range, seq(10), seq(30)), undefined);
    assert.equal(outsideLog(range, seq(1), time(1_500)), undefined);
  });

  it('says on which side of the log it lies', () => {
    assert.match(outsideLog(range, seq(21), undefined) ?? '', /^the range begins after the log ends/);
    assert.match(outsideLog(range, undefined, time(1_000)) ?? '', /^the range ends before the log begins/);
    assert.match(
      outsideLog(range, seq(5), seq(15)) ?? '',
      /^the range begins before the log does: the log has seq 10 \(1970-01-01T00:00:01\.000Z\) to seq 20/,
    );
    assert.equal(outsideLog(undefined, undefined, undefined), 'nothing was logged yet');
  });
});
