import assert from 'node:assert/strict';
import fc from 'fast-check';
import { map } from 'rxjs';
import { models as modelsPipeline } from '../../../streams/pipelines/models.ts';
import { marbles } from '../../support/marbles.ts';
import { anyLog } from '../../support/observations.ts';
import { predictionOutput } from '../../support/outputs.ts';
import { neverFails, ofStream, run } from './run.ts';

describe('models', () => {
  it('emits each model once, when it first publishes, whatever the fit, account and origin', () =>
    marbles(({ hot, expectObservable }) => {
      const by = (modelVersion: string, at: number, madeAt: number) =>
        predictionOutput({ modelVersion, madeAt, account: at > 100 ? 'a' : 'b' }, { at });
      const prediction$ = hot('a-b-c-d-a-|', {
        a: by('pool-3+cold', 100, 1),
        b: by('pool-3+497784', 200, 2),
        c: by('pool-4+497784', 300, 0),
        d: by('pool-3+497785', 400, 3),
      });
      const expected = '       x---y-----|';
      const model$ = modelsPipeline({ prediction$ }, new Map(), neverFails).pipe(
        map(({ key, at, record }) => [key, at, record]),
      );
      expectObservable(model$).toBe(expected, {
        x: ['pool-3', 100, { model: 'pool-3', publishedAt: 100 }],
        y: ['pool-4', 300, { model: 'pool-4', publishedAt: 300 }],
      });
    }));

  it('gives the time of the first prediction of any log', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const outputs = run(log);
        const [first] = ofStream(outputs, 'predictions');
        const [model, ...others] = ofStream(outputs, 'models');
        assert.deepEqual([model?.record.publishedAt, others], [first?.at, []]);
      }),
      { numRuns: 50 },
    );
  });
});
