import assert from 'node:assert/strict';
import { createUsageBuffer, type RecordedRequest } from '../../../src/access/usage/recorder.ts';

function drained(buffer: ReturnType<typeof createUsageBuffer>): RecordedRequest[] {
  const requests: RecordedRequest[] = [];
  buffer.drain((request) => requests.push(request));
  return requests;
}

describe('createUsageBuffer', () => {
  it('passes on recorded requests once, oldest first', () => {
    let now = 10;
    const buffer = createUsageBuffer(() => now++, 4);
    buffer.record('/a', 'GET', 200, 1.5, 100, 'k1');
    buffer.record('/b', 'POST', 422, 2.5, 20, null, 'no good');
    assert.equal(buffer.size, 2);
    assert.deepEqual(drained(buffer), [
      { endpoint: '/a', method: 'GET', status: 200, ms: 1.5, bytes: 100, keyId: 'k1', message: '', at: 10 },
      {
        endpoint: '/b',
        method: 'POST',
        status: 422,
        ms: 2.5,
        bytes: 20,
        keyId: null,
        message: 'no good',
        at: 11,
      },
    ]);
    assert.equal(buffer.size, 0);
    assert.deepEqual(drained(buffer), []);
  });

  it('forgets the message of a slot that is used again', () => {
    const buffer = createUsageBuffer(() => 0, 1);
    buffer.record('/a', 'GET', 401, 1, 1, 'k', 'first');
    drained(buffer);
    buffer.record('/a', 'GET', 200, 1, 1, null);
    assert.deepEqual(
      drained(buffer).map(({ message, keyId }) => [message, keyId]),
      [['', null]],
    );
  });

  it('drops and counts requests while it is full, and records again afterwards', () => {
    const buffer = createUsageBuffer(() => 0, 3);
    for (let n = 0; n < 5; n++) buffer.record(`/${n}`, 'GET', 200, 1, 1, null);
    assert.deepEqual([buffer.size, buffer.capacity, buffer.dropped], [3, 3, 2]);
    assert.deepEqual(
      drained(buffer).map(({ endpoint }) => endpoint),
      ['/0', '/1', '/2'],
    );
    buffer.record('/5', 'GET', 200, 1, 1, null);
    assert.deepEqual([buffer.size, buffer.dropped], [1, 2]);
  });

  it('passes nothing on twice, even when the receiver throws', () => {
    const buffer = createUsageBuffer(() => 0, 3);
    buffer.record('/a', 'GET', 200, 1, 1, null);
    assert.throws(() =>
      buffer.drain(() => {
        throw new RangeError('no');
      }),
    );
    assert.deepEqual(drained(buffer), []);
  });
});
