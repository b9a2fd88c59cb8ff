import assert from 'node:assert/strict';
import { answer } from '../../src/simulation/answer-request.ts';
import { DAY_MS, type Fact, HOUR_MS, type Prediction } from '../../streams/internal.ts';
import { records } from '../streams/pipelines/run.ts';
import { event, partition, post, settings, tick, tracking } from '../support/facts.ts';
import { GraphSession } from '../support/model-answers.ts';

const MINUTE_MS = 60_000;
const START = 1_000 * DAY_MS;
const END = START + 2 * DAY_MS;
/** 0-4, 5-9, 10-14 and so on. */
const BUCKETS = partition().flatMap((bucket, index, { length }) => {
  const step = 5;
  return [{ ...bucket, lo: index * step, hi: index === length - 1 ? null : index * step + step - 1 }];
});

/** The graph with the real model, which answers at once. */
class ModelSession extends GraphSession {
  runModel(at: number): Prediction {
    for (const asked of this.asked.splice(0)) this.observe(at, answer(asked.record, asked.seq));
    const row = records(this.outputs, 'predictions').at(-1);
    assert.ok(row);
    return row;
  }
}

const total = (total: number, syncedAt: number): Fact => ({
  kind: 'oracle',
  account: 'a',
  trackingId: 't1',
  total,
  syncedAt,
});

/** Five posts on the first day, all counted by the oracle, and fresh sources five minutes before the close. */
function beforeClose(): { readonly session: ModelSession; readonly now: number } {
  const session = new ModelSession();
  session.observe(START, settings());
  session.observe(START, { kind: 'coverage', account: 'a', fromAt: START - 10 * DAY_MS });
  session.observe(START, event({ startAt: START, endAt: END, buckets: BUCKETS }));
  session.observe(START, tracking({ startAt: START, endAt: END }));
  session.observe(START + MINUTE_MS, total(0, START));
  for (let index = 1; index <= 5; index++) {
    const createdAt = START + index * HOUR_MS;
    session.observe(createdAt + 10_000, post({ id: String(index), createdAt }));
    session.observe(createdAt + 5 * MINUTE_MS, total(index, createdAt + 4 * MINUTE_MS));
  }
  const now = END - 5 * MINUTE_MS;
  session.observe(now - 20 * MINUTE_MS, total(5, now - 20 * MINUTE_MS));
  return { session, now };
}

const fresh = (session: ModelSession, at: number) =>
  session.observe(at, tick({ 'posts:a': 0, 'oracle:a': 5_000 }));
const probAt = ({ buckets }: Prediction, count: number) =>
  buckets.find(({ lo, hi }) => lo <= count && (hi === null || count <= hi))?.prob ?? 0;

describe('a forecast of the count that settles', () => {
  it('gives the bucket that wins its probability, though our own count has passed it', () => {
    const { session, now } = beforeClose();
    for (let index = 0; index < 5; index++) {
      const createdAt = now - 15 * MINUTE_MS + index * 1_000;
      session.observe(createdAt + 10_000, post({ id: `1${index}`, createdAt }));
    }
    fresh(session, now - 14.7 * MINUTE_MS);
    const before = session.runModel(now - 14.7 * MINUTE_MS);
    assert.equal(before.count, 10);
    assert.ok(probAt(before, 10) > 0.5, 'until they are found deleted, ten will settle');
    for (let index = 0; index < 5; index++) {
      session.observe(now - 14.3 * MINUTE_MS, { kind: 'post_gone', account: 'a', id: `1${index}` });
    }
    session.runModel(now - 14.3 * MINUTE_MS);
    session.observe(now - MINUTE_MS, total(5, now - 2 * MINUTE_MS));
    fresh(session, now);
    const after = session.runModel(now);
    assert.deepEqual([after.count, after.settlement?.oracle], [10, 5]);
    assert.ok(probAt(after, 5) > 0.9, `${probAt(after, 5)}`);
    assert.equal(after.settlement?.p50, -5);
    assert.deepEqual([after.ownP50, after.p50], [10, 5]);
    assert.ok((after.buckets[1]?.ownProb ?? 1) === 0, 'our own count alone would call it lost');
    const risk = after.flipRisk;
    assert.ok(risk === null || risk > 0.9, 'our own count shows another bucket');
  });

  it('gives 0 to a bucket below the count of the oracle and to no other', () => {
    const { session, now } = beforeClose();
    fresh(session, now);
    const row = session.runModel(now);
    assert.deepEqual(
      row.buckets.map(({ prob }) => prob === 0),
      row.buckets.map(({ hi }) => hi !== null && hi < 5),
    );
    assert.ok(row.buckets.every(({ prob }) => prob === 0 || prob >= 0.0001));
  });

  it('rules nothing out while the oracle has no count', () => {
    const session = new ModelSession();
    session.observe(START, settings());
    session.observe(START, { kind: 'coverage', account: 'a', fromAt: START - 10 * DAY_MS });
    session.observe(START, event({ startAt: START, endAt: END, buckets: BUCKETS }));
    for (let index = 1; index <= 9; index++) {
      const createdAt = START + index * HOUR_MS;
      session.observe(createdAt + 10_000, post({ id: String(index), createdAt }));
    }
    fresh(session, END - HOUR_MS);
    const row = session.runModel(END - HOUR_MS);
    assert.equal(row.settlement?.oracle, null);
    assert.ok(row.buckets.every(({ prob }) => prob > 0));
    assert.ok(probAt(row, 9) + probAt(row, 10) > 0.8);
  });

  it('expects what a stalled oracle will count later, and lays its return to the oracle', () => {
    const { session, now } = beforeClose();
    for (let index = 0; index < 5; index++) {
      const createdAt = now - 15 * MINUTE_MS + index * MINUTE_MS;
      session.observe(createdAt + 10_000, post({ id: `1${index}`, createdAt }));
    }
    fresh(session, now);
    const stalled = session.runModel(now);
    assert.ok(probAt(stalled, 10) > 0.8, `${probAt(stalled, 10)}`);
    assert.ok(probAt(stalled, 5) > 0);
    session.observe(now + MINUTE_MS, total(7, now + MINUTE_MS - 10_000));
    const after = session.runModel(now + MINUTE_MS);
    assert.ok(after.moved.every(({ cause }) => cause !== 'new_post'));
    assert.equal(
      after.moved.reduce((sum, { p50 }) => sum + p50, 0),
      after.p50 - stalled.p50,
    );
    assert.ok(after.moved.some(({ cause }) => cause === 'oracle') || after.p50 === stalled.p50);
  });
});
