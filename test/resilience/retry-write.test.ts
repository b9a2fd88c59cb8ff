import assert from 'node:assert/strict';
import { createRetryingWriter } from '../../src/resilience/retry-write.ts';

const FULL = new Error('no space left');

describe('createRetryingWriter', () => {
  const refusing = (times: number) => {
    let left = times;
    return async () => {
      if (left-- > 0) throw FULL;
    };
  };

  it('writes until the disk takes it, and counts the refusals of each write', async () => {
    const refusals: unknown[] = [];
    const onRefused = (error: unknown, attempt: number) => refusals.push([error, attempt]);
    const writer = createRetryingWriter({ onRefused, retryMs: 0 });
    await writer.write(refusing(2));
    await writer.write(refusing(1));
    assert.deepEqual(refusals, [
      [FULL, 1],
      [FULL, 2],
      [FULL, 1],
    ]);
  });

  it('does not repeat an error that is no refusal', async () => {
    const isRefusal = (error: unknown) => error !== FULL;
    const writer = createRetryingWriter({ onRefused: (error) => assert.fail(String(error)), isRefusal });
    await assert.rejects(writer.write(refusing(1)), FULL);
  });

  it('tries a waiting write once more when it stops, and then gives up', async () => {
    let refused = () => {};
    const isRefused = new Promise<void>((resolve) => {
      refused = resolve;
    });
    const writer = createRetryingWriter({ onRefused: () => refused(), retryMs: 3_600_000 });
    const twice = writer.write(refusing(2));
    await isRefused;
    writer.stop();
    await assert.rejects(twice, FULL);
  });
});
