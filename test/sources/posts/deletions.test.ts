import assert from 'node:assert/strict';
import { deletionsSource } from '../../../src/sources/posts/deletions.ts';
import { ACCOUNT, FAST, localEndpoints } from '../../support/endpoints.ts';
import { eventually } from '../../support/eventually.ts';
import { fakeLookups, knownPost, type SourceRun, sourceStage } from '../../support/source-run.ts';

const NOW = Date.parse('2026-04-09T13:41:35Z');
const HOUR_MS = 3_600_000;

describe('deletionsSource', () => {
  const stage = sourceStage();

  /** Posts by id and age in hours. The clock moves on by `pollMs` from poll to poll. */
  function start(posts: readonly (readonly [string, number])[], pollMs = 0): SourceRun {
    let now = NOW;
    const lookups = fakeLookups(0);
    for (const [id, ageHours] of posts) lookups.posts.set(id, knownPost(id, NOW - ageHours * HOUR_MS));
    const { livePosts } = lookups;
    const source = deletionsSource(ACCOUNT, localEndpoints(stage.server), FAST);
    const polled = Object.assign(lookups, {
      livePosts(account: string, sinceMs: number) {
        now += pollMs;
        return livePosts(account, sinceMs);
      },
    });
    return stage.run(source, polled, () => now);
  }

  const missing = (id: string, problem = 'resource-not-found') => ({
    resource_id: id,
    value: id,
    title: 'Not Found Error',
    type: `https://posts.invalid/2/problems/${problem}`,
  });

  it('reports a post as gone after two misses in a row, and not after one', async () => {
    stage.server.answer(() =>
      stage.server.requests.length === 2
        ? { data: [{ id: '1' }, { id: '2' }] }
        : { data: [{ id: '1' }], errors: [missing('2')] },
    );
    const { facts } = start(
      [
        ['1', 1],
        ['2', 2],
      ],
      HOUR_MS,
    );
    await eventually('it is delivered', () => facts().length > 0);
    assert.deepEqual(facts(), [{ kind: 'post_gone', account: 'a', id: '2' }]);
    const asked = () => stage.server.requests.map(({ query }) => query.get('ids'));
    assert.deepEqual(asked().slice(0, 4), ['1,2', '1,2', '1,2', '1,2']);
    await eventually('it is asked for no longer', () => asked().at(-1) === '1');
  });

  it('follows up a miss at the next poll', async () => {
    stage.server.answer(() => ({ data: [{ id: '1' }], errors: [missing('2')] }));
    const { facts } = start([
      ['1', 1],
      ['2', 2],
    ]);
    await eventually('it is delivered', () => facts().length > 0);
    assert.deepEqual(
      stage.server.requests.map(({ query }) => query.get('ids')),
      ['1,2', '2'],
    );
  });

  it('asks for nothing while no post is due, and still shows that it runs', async () => {
    stage.server.answer(() => ({ data: [{ id: '1' }] }));
    const { deliveries } = start([['1', 1]]);
    await eventually('several polls pass', () => deliveries.length > 5);
    assert.equal(stage.server.requests.length, 1);
  });

  it('asks for at most 300 posts at once, the newest first', async () => {
    const ids = Array.from({ length: 350 }, (_, index) => String(index + 1));
    stage.server.answer(({ query }) => ({
      data: (query.get('ids') ?? '').split(',').map((id) => ({ id })),
    }));
    const { deliveries } = start(ids.map((id, index) => [id, 1 + index / 1_000]));
    await eventually('two polls pass', () => deliveries.length > 1);
    const asked = stage.server.requests.map(({ query }) => query.get('ids')?.split(',') ?? []);
    assert.deepEqual(
      asked.map(({ length }) => length),
      [100, 100, 100, 50],
    );
    assert.deepEqual(asked.flat(), ids);
  });

  it('does not take a post that may not be shown for gone', async () => {
    stage.server.answer(() => ({ errors: [missing('1', 'not-authorized-for-resource')] }));
    const { facts } = start([['1', 1]], HOUR_MS);
    await eventually('four answers came', () => stage.server.requests.length > 3);
    assert.deepEqual(facts(), []);
  });

  it('looks at a day of posts only, and delivers an empty list when there are none', async () => {
    stage.server.answer(() => ({ data: [{ id: '1' }] }));
    const run = start([
      ['1', 23],
      ['2', 25],
    ]);
    await eventually('it asks', () => run.deliveries.length > 1);
    assert.equal(stage.server.requests[0]?.query.get('ids'), '1');
    run.stop();
    const { deliveries: idle } = start([]);
    await eventually('it delivers', () => idle.length > 1);
  });

  it('counts what its requests cost, and what is left of the limit', async () => {
    stage.server.answer((_, response) => {
      response.setHeader('x-rate-limit-limit', '3500');
      response.setHeader('x-rate-limit-remaining', '3498');
      return { data: [{ id: '1' }], errors: [missing('2')] };
    });
    const { uses } = start([
      ['1', 1],
      ['2', 2],
    ]);
    await eventually('it asks', () => uses.length > 0);
    assert.deepEqual(uses[0], { request: 'lookup', reads: 1, quota: { limit: 3_500, remaining: 3_498 } });
  });

  it('refuses an answer with neither posts nor errors', async () => {
    stage.server.answer(() => ({}));
    const { error, refusals } = start([['1', 1]]);
    await eventually('it fails', () => error() !== undefined);
    assert.equal(refusals.length, 1);
  });
});
