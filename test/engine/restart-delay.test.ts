import assert from 'node:assert/strict';
import fc from 'fast-check';
import { restartDelay } from '../../src/engine/restart-delay.ts';
import { SourceError } from '../../src/errors.ts';
import { createCircuit } from '../../src/resilience/circuit-breaker.ts';

const lost = new SourceError('SOURCE_NETWORK', 'connection reset');

function delayAfter(error: unknown, failures: number, random: () => number): number {
  const circuit = createCircuit(() => 0);
  for (let failure = 0; failure < failures; failure++) circuit.failed();
  return restartDelay(error, circuit, random);
}

describe('restartDelay', () => {
  it('doubles its ceiling from one second to eight', () => {
    const ceilings = [1, 2, 3, 4].map((failures) => delayAfter(lost, failures, () => 1));
    assert.deepEqual(ceilings, [1_000, 2_000, 4_000, 8_000]);
  });

  it('probes every four to six seconds once the circuit is open', () => {
    for (const failures of [5, 6, 500]) {
      const delays = [0, 0.5, 1].map((chance) => delayAfter(lost, failures, () => chance));
      assert.deepEqual(delays, [4_000, 5_000, 6_000]);
    }
  });

  it('draws from the whole span below the ceiling', () => {
    assert.equal(
      delayAfter(lost, 4, () => 0),
      0,
    );
    assert.equal(
      delayAfter(lost, 4, () => 0.25),
      2_000,
    );
  });

  it('never retries before the requested time, up to a minute', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000_000 }),
        fc.integer({ min: 1, max: 100 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (retryAfterMs, failures, chance) => {
          const error = new SourceError('SOURCE_STATUS', 'status 429', { retryAfterMs });
          const delayMs = delayAfter(error, failures, () => chance);
          assert.ok(delayMs >= Math.min(60_000, retryAfterMs));
          assert.ok(delayMs <= 68_000);
        },
      ),
    );
  });

  it('waits long after a bug of ours', () => {
    assert.equal(
      delayAfter(new TypeError('x is undefined'), 1, () => 0),
      30_000,
    );
  });
});
