import assert from 'node:assert/strict';
import { batchesOfTurn, deletionsSource } from '../../../src/sources/posts/deletions.ts';
import { ACCOUNT, FAST, localEndpoints } from '../../support/endpoints.ts';
import { eventually } from '../../support/eventually.ts';
import { fakeLookups, type SourceRun, sourceStage } from '../../support/source-run.ts';

const NOW = Date.parse('2026-04-09T13:41:35Z');
const HOUR_MS = 3_600_000;

describe('deletionsSource', () => {
  const stage = sourceStage();
  let run: SourceRun | undefined;

  function start(posts: readonly (readonly [string, number])[]): SourceRun {
    const lookups = fakeLookups(0);
    for (const [id, ageHours] of posts) {
      lookups.posts.set(id, { id, createdAt: NOW - ageHours * HOUR_MS, isGone: false });
    }
    run = stage.run(deletionsSource(ACCOUNT, localEndpoints(stage.server), FAST), lookups, () => NOW);
    return run;
  }

  const missing = (id: string, problem = 'resource-not-found') => ({
    resource_id: id,
    value: id,
    title: 'Not Found Error',
    type: `https://posts.invalid/2/problems/${problem}`,
  });

  it('reports a post as gone after two misses in a row, and not after one', async () => {
    stage.server.answer(() => {
      const isMissing = stage.server.requests.length !== 2;
      return isMissing
        ? { data: [{ id: '1' }], errors: [missing('2')] }
        : { data: [{ id: '1' }, { id: '2' }] };
    });
    const { facts, deliveries } = start([
      ['1', 1],
      ['2', 2],
    ]);
    await eventually('it is delivered', () => facts().length > 0);
    assert.deepEqual(facts(), [{ kind: 'post_gone', account: 'a', id: '2' }]);
    assert.equal(
      deliveries.findIndex((delivery) => delivery.length > 0),
      3,
    );
    await eventually(
      'it is asked for no longer',
      () => stage.server.requests.at(-1)?.query.get('ids') === '1',
    );
  });

  it('does not take a post that may not be shown for gone', async () => {
    stage.server.answer(() => ({ errors: [missing('1', 'not-authorized-for-resource')] }));
    const { facts, deliveries } = start([['1', 1]]);
    await eventually('four polls pass', () => deliveries.length > 3);
    assert.deepEqual(facts(), []);
  });

  it('looks at a day of posts only, and delivers an empty list when there are none', async () => {
    stage.server.answer(() => ({ data: [{ id: '1' }] }));
    const { deliveries } = start([
      ['1', 23],
      ['2', 25],
    ]);
    await eventually('it asks', () => deliveries.length > 1);
    assert.equal(stage.server.requests[0]?.query.get('ids'), '1');
    run?.stop();
    const { deliveries: idle } = start([]);
    await eventually('it delivers', () => idle.length > 1);
  });

  it('refuses an answer with neither posts nor errors', async () => {
    stage.server.answer(() => ({}));
    const { error, refusals } = start([['1', 1]]);
    await eventually('it fails', () => error() !== undefined);
    assert.equal(refusals.length, 1);
  });
});

describe('batchesOfTurn', () => {
  const ids = Array.from({ length: 730 }, (_, index) => String(index));

  it('gives at most three batches of 100, and every id within three turns', () => {
    const turns = [0, 1, 2].map((turn) => batchesOfTurn(ids, turn));
    assert.ok(
      turns.every((batches) => batches.length === 3 && batches.every((batch) => batch.length <= 100)),
    );
    assert.equal(new Set(turns.flat(2)).size, ids.length);
  });

  it('gives all there is when it fits', () => {
    assert.deepEqual(batchesOfTurn(ids.slice(0, 150), 5).flat(), ids.slice(0, 150));
    assert.deepEqual(batchesOfTurn([], 3), []);
  });
});
