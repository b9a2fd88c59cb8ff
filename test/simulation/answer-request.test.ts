import assert from 'node:assert/strict';
import fc from 'fast-check';
import { answer } from '../../src/simulation/answer-request.ts';
import { createModelCache } from '../../src/simulation/model-cache.ts';
import { coldStart, type ForecastFact, type Move } from '../../streams/internal.ts';
import { DAY_MS, FIRST_AT, HOUR_MS } from '../streams/model/forecast/synthetic.ts';
import { type ForecastRequest, fitRequest, forecastRequest, postsBefore } from '../support/model-requests.ts';

function forecastOf(request: ForecastRequest): ForecastFact {
  const fact = answer(request, 9);
  assert.ok(fact.kind === 'forecast');
  return fact;
}

function previousOf(request: ForecastRequest): NonNullable<ForecastRequest['previous']> {
  const { now, count, params } = request;
  const { forecast, settlement } = forecastOf(request);
  const { oracle = null, soFar = { least: count, probs: [1] } } = settlement ?? {};
  return { now, count, oracle, soFar, p50: forecast.p50, params: params ?? coldStart() };
}

const NOW = forecastRequest().now;

const totalOf = (moves: readonly Move[]) => moves.reduce((sum, { p50 }) => sum + p50, 0);

describe('answer', () => {
  it('carries over what identifies the request', () => {
    const fact = forecastOf(
      forecastRequest({ eventId: 5, horizonHours: 48, origin: 'history', account: 'b' }),
    );
    const { account, eventId, askedSeq, origin, horizonHours, seed, moved } = fact;
    assert.deepEqual(
      { account, eventId, askedSeq, origin, horizonHours, seed, moved },
      { account: 'b', eventId: 5, askedSeq: 9, origin: 'history', horizonHours: 48, seed: 42, moved: [] },
    );
  });

  it('takes a prior for a past, which matters while the history is short and fades as it grows', () => {
    const meanOf = (fromAt: number, postsPerDay?: number) =>
      forecastOf(
        forecastRequest({
          fromAt,
          postTimes: postsBefore(NOW).filter((post) => post >= fromAt),
          ...(postsPerDay !== undefined && { prior: { postsPerDay, days: 14 } }),
        }),
      ).inputs.mean;
    const young = NOW - DAY_MS;
    assert.ok(meanOf(young, 5) < 0.5 * meanOf(young, 50) && meanOf(young, 50) < meanOf(young, 200));
    const ratio = (fromAt: number) => meanOf(fromAt, 200) / meanOf(fromAt);
    assert.ok(ratio(FIRST_AT) < 0.7 * ratio(young), `${ratio(FIRST_AT)} ${ratio(young)}`);
  });

  it('gives a partition probabilities that add up to 1 in six digits, and orders the percentiles', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 400 }), (seed, count) => {
        const { forecast, pace, sleepProbability } = forecastOf(forecastRequest({ seed, count }));
        for (const { p5, p50, p95, bucketProbs } of [forecast, pace]) {
          const units = bucketProbs.map((prob) => Math.round(prob * 1e6));
          assert.deepEqual(
            units.map((unit) => unit / 1e6),
            bucketProbs,
          );
          assert.equal(
            units.reduce((sum, unit) => sum + unit, 0),
            1e6,
          );
          assert.ok(count <= p5 && p5 <= p50 && p50 <= p95);
          assert.ok(
            bucketProbs.every((prob, index) => index === 25 || index * 20 + 19 >= count || prob === 0),
          );
        }
        assert.ok(sleepProbability >= 0 && sleepProbability <= 1);
      }),
      { numRuns: 20 },
    );
  });

  it('gives the same digits whatever was asked before', () => {
    const cache = createModelCache();
    const request = forecastRequest({ params: null, origin: 'history' });
    const first = answer(request, 9, cache);
    for (const days of [24, 31, 38, 52]) {
      const now = FIRST_AT + days * DAY_MS;
      answer(forecastRequest({ params: null, now, startAt: now - DAY_MS }), 9, cache);
    }
    // The same week with another past must not be taken for it.
    const thinned = request.postTimes.filter((_, index) => index % 3 > 0);
    assert.notDeepEqual(answer({ ...request, postTimes: thinned }, 9, cache), first);
    assert.deepEqual(answer(request, 9, cache), first);
  });

  it('fits history to what was known before its week, and to nothing later', () => {
    const now = FIRST_AT + 45 * DAY_MS;
    const request = forecastRequest({ params: null, now, startAt: now - DAY_MS });
    const fact = forecastOf(request);
    const later = forecastOf({ ...request, postTimes: postsBefore(Number.POSITIVE_INFINITY) });
    assert.deepEqual(later, fact);
    assert.match(fact.inputs.version, /^[\w-]+\+\d+$/);
    assert.ok(Number(fact.inputs.version.split('+')[1]) * HOUR_MS <= now);
  });

  it('uses the cold start where there is too little to fit', () => {
    const now = FIRST_AT + 10 * DAY_MS;
    assert.equal(
      forecastOf(forecastRequest({ params: null, now, startAt: now - DAY_MS })).inputs.version,
      coldStart().version,
    );
    const fact = answer(fitRequest({ now }), 3);
    assert.deepEqual(fact, { kind: 'fit', account: 'a', askedSeq: 3, params: coldStart() });
  });

  it('fits to the account when there is enough', () => {
    const fact = answer(fitRequest(), 3);
    assert.ok(fact.kind === 'fit' && fact.params.rows > 100 && fact.params.fittedAt === fitRequest().now);
  });

  it('explains a quiet minute by the clock alone', () => {
    const before = forecastRequest();
    const now = before.now + 6 * HOUR_MS;
    const { count, postTimes } = before;
    const after = forecastRequest({ now, count, postTimes, previous: previousOf(before) });
    const { moved, forecast } = forecastOf(after);
    assert.deepEqual(moved, [{ cause: 'clock', p50: forecast.p50 - previousOf(before).p50 }]);
    assert.deepEqual(forecastOf({ ...before, previous: previousOf(before) }).moved, []);
  });

  it('explains every change without a rest, whatever changed', () => {
    const before = forecastRequest();
    const refitted = answer(fitRequest(), 1);
    assert.ok(refitted.kind === 'fit');
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 3 * DAY_MS }),
        fc.integer({ min: -3, max: 30 }),
        fc.boolean(),
        (laterMs, more, isRefitted) => {
          const previous = previousOf(before);
          const now = before.now + laterMs;
          const count = Math.max(0, before.count + more);
          const params = isRefitted ? refitted.params : coldStart();
          const { moved, forecast } = forecastOf(forecastRequest({ now, count, params, previous }));
          assert.equal(totalOf(moved), forecast.p50 - previous.p50);
          assert.ok(moved.every(({ p50 }) => p50 !== 0));
          const causes = moved.map(({ cause }) => cause);
          assert.equal(new Set(causes).size, causes.length);
          if (!isRefitted) assert.ok(!causes.includes('model'));
          assert.ok(!causes.includes(more < 0 ? 'new_post' : 'post_deleted'));
        },
      ),
      { numRuns: 20 },
    );
  });

  it('explains every change without a rest, whatever the oracle does', () => {
    const settlement = (
      count: number,
      oracle: number | null,
      age: number,
    ): ForecastRequest['settlement'] => ({
      oracle:
        oracle === null
          ? null
          : {
              count: Math.max(0, count - oracle),
              readAt: before.now - age,
              answeredAt: before.now,
              changedAt: before.now - age,
            },
      lag: null,
      deleted: [{ createdAt: before.startAt + HOUR_MS, upMs: age }],
      closed: { posts: 100, deleted: 1, lost: 1, extra: 1 },
    });
    const before = forecastRequest();
    const anyDistance = fc.option(fc.integer({ min: -3, max: 12 }));
    const anyAge = fc.nat({ max: 2 * HOUR_MS });
    fc.assert(
      fc.property(
        anyDistance,
        anyDistance,
        anyAge,
        fc.integer({ min: -2, max: 5 }),
        (then, since, age, more) => {
          const previous = previousOf({ ...before, settlement: settlement(before.count, then, age) });
          const count = before.count + more;
          const after = {
            ...before,
            now: before.now + age,
            count,
            settlement: settlement(count, since, age),
          };
          const { moved, forecast } = forecastOf({ ...after, previous });
          assert.equal(totalOf(moved), forecast.p50 - previous.p50);
          const causes = moved.map(({ cause }) => cause);
          assert.equal(new Set(causes).size, causes.length);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('lays what the oracle counts to the oracle, and what a deletion keeps from it to the deletion', () => {
    const { now, startAt, count, postTimes } = forecastRequest();
    const view = { readAt: now - 1_000, answeredAt: now, changedAt: now - HOUR_MS };
    const known = { lag: null, deleted: [], closed: { posts: 0, deleted: 0, lost: 0, extra: 0 } };
    const then = forecastRequest({ settlement: { ...known, oracle: { ...view, count: count - 8 } } });
    const previous = previousOf(then);
    const later = { now: now + 1, startAt, count, postTimes, previous };
    const caused = (settlement: ForecastRequest['settlement']) =>
      forecastOf(forecastRequest({ ...later, settlement })).moved.map(({ cause }) => cause);
    assert.deepEqual(caused({ ...known, oracle: { ...view, count, changedAt: now } }), ['oracle']);
    const made = Array.from({ length: 8 }, (_, index) => now - 20_000 + index);
    const young = {
      startAt,
      count: count + 8,
      postTimes: Float64Array.from([...postTimes.filter((at) => at < now - 20_000), ...made]),
    };
    const unread = { ...known, oracle: { ...view, count, readAt: now - 60_000 } };
    const waiting = forecastRequest({ ...young, settlement: unread });
    const deleted = made.map((createdAt) => ({ createdAt, upMs: now - createdAt + 1 }));
    const gone = {
      ...waiting,
      now: now + 1,
      settlement: { ...unread, deleted },
      previous: previousOf(waiting),
    };
    assert.deepEqual(
      forecastOf(gone).moved.map(({ cause, p50 }) => [cause, p50 < -5]),
      [['post_deleted', true]],
    );
  });

  it('lays a new post to the posts, a lost one to the deletion and new coefficients to the model', () => {
    const before = forecastRequest();
    const { count, postTimes } = before;
    const moved = (fields: Partial<ForecastRequest>) =>
      forecastOf(forecastRequest({ count, postTimes, previous: previousOf(before), ...fields })).moved.map(
        ({ cause }) => cause,
      );
    assert.deepEqual(moved({ count: count + 9 }), ['new_post']);
    assert.deepEqual(moved({ count: count - 1 }), ['post_deleted']);
    const refitted = answer(fitRequest(), 1);
    assert.ok(refitted.kind === 'fit');
    assert.deepEqual(moved({ params: refitted.params }), ['model']);
  });
});
