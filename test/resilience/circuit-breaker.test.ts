import assert from 'node:assert/strict';
import { createCircuit } from '../../src/resilience/circuit-breaker.ts';

describe('createCircuit', () => {
  const opened = () => {
    const clock = { ms: 0 };
    const circuit = createCircuit(() => clock.ms, { openMs: 1_000 });
    for (let failure = 0; failure < 5; failure++) circuit.failed();
    return { clock, circuit };
  };

  it('opens after five failures in a row', () => {
    const circuit = createCircuit(() => 0);
    for (let failure = 0; failure < 4; failure++) circuit.failed();
    circuit.answered();
    for (let failure = 0; failure < 4; failure++) circuit.failed();
    assert.ok(circuit.admits() && !circuit.isOpen());
    circuit.failed();
    assert.ok(!circuit.admits() && circuit.isOpen());
  });

  it('admits one call a period while open', () => {
    const { clock, circuit } = opened();
    clock.ms = 999;
    assert.ok(!circuit.admits());
    clock.ms = 1_000;
    assert.deepEqual([circuit.admits(), circuit.admits(), circuit.isOpen()], [true, false, true]);
  });

  it('gives the time until the next try, which a failure may set', () => {
    const { clock, circuit } = opened();
    clock.ms = 400;
    assert.equal(circuit.retryInMs(), 600);
    circuit.failed(5_000);
    assert.equal(circuit.retryInMs(), 5_000);
    clock.ms = 6_000;
    assert.equal(circuit.retryInMs(), 0);
    circuit.answered();
    assert.deepEqual([circuit.retryInMs(), circuit.failures], [0, 0]);
  });

  it('opens after as few failures as asked for', () => {
    const circuit = createCircuit(() => 0, { maxFailures: 1 });
    circuit.failed();
    assert.ok(circuit.isOpen());
  });

  it('closes with the first answer', () => {
    const { circuit } = opened();
    circuit.answered();
    assert.ok(circuit.admits() && !circuit.isOpen());
  });
});
