import assert from 'node:assert/strict';
import fc from 'fast-check';
import { from } from 'rxjs';
import { createRunner, DAY_MS, emptyState, encodeState, graph, type Output } from '../../streams/internal.ts';
import { log, post, settings, tick } from '../support/facts.ts';
import { anyLog } from '../support/observations.ts';
import { FRESH, NOW, started } from './pipelines/open-event.ts';

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

  it('gives all but the requests, and ends in the same state, where the model is not asked', () => {
    const session = started(60, post({ createdAt: NOW - DAY_MS }));
    session.answer(NOW + 1_000);
    for (let minute = 1; minute < 5; minute += 1) session.observe(NOW + minute * 60_000, tick(FRESH));
    const asking = createRunner(emptyState());
    session.log.forEach(asking.run);
    const following = createRunner(emptyState(), { isAsking: false });
    const outputs = session.log.flatMap(following.run);
    const isRequest = ({ stream }: Output) => stream === 'requests';
    assert.ok(session.outputs.some(isRequest));
    assert.deepEqual(
      outputs,
      session.outputs.filter((output) => !isRequest(output)),
    );
    assert.equal(encodeState(following.state), encodeState(asking.state));
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
