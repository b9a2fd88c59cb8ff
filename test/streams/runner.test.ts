import assert from 'node:assert/strict';
import fc from 'fast-check';
import { from } from 'rxjs';
import { createRunner, emptyState, encodeState, graph, type Output } from '../../streams/internal.ts';
import { log, settings, tick } from '../support/facts.ts';
import { anyLog } from '../support/observations.ts';

describe('runner', () => {
  it('gives the outputs of the graph, each with its observation, and ends in the same state', () => {
    fc.assert(
      fc.property(anyLog(60), (log) => {
        const outputs: Output[] = [];
        const state = emptyState();
        graph(from(log), state).subscribe((output) => outputs.push(output));
        const runner = createRunner(emptyState());
        const run = log.flatMap((observation) => {
          const given = runner.run(observation);
          assert.ok(given.every(({ seq }) => seq === observation.seq));
          return given;
        });
        assert.equal(JSON.stringify(run), JSON.stringify(outputs));
        assert.equal(encodeState(runner.state), encodeState(state));
      }),
      { numRuns: 40 },
    );
  });

  it('leaves the outputs it has given alone', () => {
    const { run } = createRunner(emptyState());
    const [first = [], second = []] = log([0, settings()], [1_000, tick()]).map(run);
    assert.deepEqual(first, []);
    assert.deepEqual(
      second.map(({ stream }) => stream),
      ['freshness'],
    );
  });
});
