import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { map, NEVER, of } from 'rxjs';
import {
  DAY_MS,
  type EventRecord,
  type Fact,
  HOUR_MS,
  type Prediction,
  type ScoreRecord,
  type VoidRecord,
} from '../../../streams/internal.ts';
import { windowId } from '../../../streams/model/window-id.ts';
import { performance as performancePipeline } from '../../../streams/pipelines/performance.ts';
import { event, partition, post, quote, settings, tick, tracking } from '../../support/facts.ts';
import { marbles } from '../../support/marbles.ts';
import { GraphSession } from '../../support/model-answers.ts';
import { anyLog } from '../../support/observations.ts';
import { eventOutput, predictionOutput } from '../../support/outputs.ts';
import { latest, neverFails, ofStream, records, runByStep } from './run.ts';

const START = 100 * DAY_MS;
const END = START + 2 * DAY_MS;
const FRESH = { 'posts:a': 0, prices: 0 };
const listed = event({ startAt: START, endAt: END, buckets: partition() });
const closed = (winner: number | null): Fact => ({
  ...listed,
  isClosed: true,
  buckets: partition().map((bucket, index) => ({
    ...bucket,
    won: winner === null ? null : index === winner,
  })),
});
const total = (total: number): Fact => ({
  kind: 'oracle',
  account: 'a',
  trackingId: 't1',
  total,
  syncedAt: null,
});
const prices: Fact = {
  kind: 'prices',
  eventId: 1,
  quotes: [0.1, 0.3, 0.8].map((ui, index) => quote({ token: `yes-1-${index}`, ui })),
};

/** A service that saw the window from its start to its end, with a forecast at each horizon. */
function watched(): GraphSession {
  const session = new GraphSession();
  session.observe(START, settings());
  session.observe(START, { kind: 'coverage', account: 'a', fromAt: START });
  session.observe(START, listed);
  session.observe(START, tracking({ startAt: START, endAt: END }));
  session.observe(START, prices);
  for (const at of [START, START + DAY_MS]) {
    session.observe(at, tick(FRESH));
    session.answer(at);
  }
  session.observe(END, tick(FRESH));
  return session;
}

const scored = ({ outputs }: GraphSession) =>
  records(outputs, 'scores').flatMap((record) => (record.status === 'settled' ? [record] : []));

/** The last result of each row: its final count, or that it is void. */
const results = ({ outputs }: GraphSession) =>
  Object.fromEntries(
    Array.from(latest(outputs, 'scores'), ([key, { record }]) => [
      key,
      record.status === 'settled' ? record.final : record.status,
    ]),
  );

describe('performance', () => {
  it('scores a row when its event has an outcome, and again when that is corrected', () =>
    marbles(({ hot, expectObservable }) => {
      const window = windowId({ startAt: START, endAt: END, ranges: [{ lo: 0 }] });
      const ended = (final: number) => ({
        ...{ account: 'a', seq: 9, at: END, cause: 'oracle' as const },
        outcome: { eventId: 1, endAt: END, window, final, own: null, wonLo: null },
      });
      const row = predictionOutput({ horizonHours: 24, startAt: START, endAt: END }, { at: END - DAY_MS });
      const shown = predictionOutput({ endAt: END }, { at: END - DAY_MS });
      const listing = eventOutput(
        { startAt: START, endAt: END, buckets: partition().slice(0, 1), isPartition: true },
        { at: START },
      );
      const event$ = hot('     e-----------|', { e: listing });
      const prediction$ = hot('--r-s-------|', { r: row, s: shown });
      const outcome$ = hot('   ------x---y-|', { x: ended(5), y: ended(6) });
      const expected = '       ------x---y-|';
      const final$ = performancePipeline({ event$, prediction$, outcome$ }, new Map(), neverFails).pipe(
        map(({ key, record }) => [key, record.status === 'settled' ? record.final : record.status]),
      );
      expectObservable(final$).toBe(expected, { x: ['1@24', 5], y: ['1@24', 6] });
    }));

  it('scores every row once its event has a winner', () => {
    const session = watched();
    session.observe(END, total(12));
    assert.deepEqual(scored(session), []);
    session.observe(END + HOUR_MS, closed(1));
    assert.deepEqual(
      ofStream(session.outputs, 'scores').map(({ key, cause, record: { status } }) => [key, cause, status]),
      [
        ['1@48', 'event_closed', 'settled'],
        ['1@24', 'event_closed', 'settled'],
      ],
    );
    assert.deepEqual(results(session), { '1@24': 12, '1@48': 12 });
  });

  it('waits two hours after the end where the market names no winner', () => {
    const session = watched();
    session.observe(END, total(12));
    session.observe(END, closed(null));
    session.observe(END + 2 * HOUR_MS - 1, tick(FRESH));
    assert.equal(scored(session).length, 0);
    session.observe(END + 2 * HOUR_MS, tick(FRESH));
    assert.equal(scored(session).length, 2);
  });

  it('takes our own count where the oracle gives none', () => {
    const session = watched();
    session.observe(END, closed(0));
    assert.deepEqual(
      scored(session).map(({ final, errorPercent }) => [final, errorPercent]),
      [
        [0, null],
        [0, null],
      ],
    );
  });

  it('scores again when the oracle corrects, and does not change the rows', () => {
    const session = watched();
    session.observe(END, total(12));
    session.observe(END, closed(1));
    const rows = JSON.stringify(records(session.outputs, 'predictions'));
    session.observe(END + DAY_MS, total(12));
    assert.equal(scored(session).length, 2);
    session.observe(END + DAY_MS, total(25));
    assert.deepEqual(
      scored(session).map(({ final }) => final),
      [12, 12, 25, 25],
    );
    assert.equal(JSON.stringify(records(session.outputs, 'predictions')), rows);
  });

  it('scores nothing while the market has opened an event again', () => {
    const session = watched();
    session.observe(END, total(12));
    session.observe(END, closed(1));
    session.observe(END + 1, listed);
    session.observe(END + 2, total(25));
    assert.equal(scored(session).length, 2);
    session.observe(END + 3, closed(2));
    assert.deepEqual(
      scored(session).map(({ final }) => final),
      [12, 12, 25, 25],
    );
  });

  describe('when the window moves after a row was made', () => {
    /** The row 48 h before the first close is made, then the window moves. */
    function moved(...changes: Fact[]): GraphSession {
      const session = new GraphSession();
      session.observe(START, settings());
      session.observe(START, { kind: 'coverage', account: 'a', fromAt: START - 60 * DAY_MS });
      session.observe(START, listed);
      session.observe(START, tracking({ startAt: START, endAt: END }));
      session.observe(START, tick(FRESH));
      session.answer(START);
      for (const change of changes) session.observe(START + HOUR_MS, change);
      return session;
    }
    const LATER = END + DAY_MS;
    const later = { ...listed, endAt: LATER };
    const [low, middle, high] = partition();
    assert.ok(low && middle && high);
    const otherBuckets = { ...listed, buckets: [{ ...low, hi: 8 }, { ...middle, lo: 9 }, high] };

    for (const [what, change] of [
      ['end', [later]],
      ['start', [tracking({ startAt: START - HOUR_MS, endAt: END })]],
      ['buckets', [otherBuckets]],
    ] as const) {
      it(`takes back the row at once when the ${what} changed`, () => {
        const before = moved();
        assert.deepEqual(results(before), {});
        const after = moved(...change);
        assert.deepEqual(results(after), { '1@48': 'void' });
        const [row] = ofStream(after.outputs, 'scores');
        const made = latest(after.outputs, 'predictions').get('1@48')?.record;
        assert.ok(row && made);
        assert.deepEqual(
          [row.record.forecastId, row.record.madeAt, row.record.endAt],
          [made.forecastId, START, END],
        );
      });
    }

    it('scores the row that was made for the new window, and never the old one', () => {
      const session = moved(later);
      for (const at of [START + DAY_MS, START + 2 * DAY_MS]) {
        session.observe(at, tick(FRESH));
        session.answer(at);
      }
      session.observe(LATER, tick(FRESH));
      session.observe(LATER, total(12));
      session.observe(LATER, { ...closed(1), endAt: LATER } as Fact);
      assert.deepEqual(results(session), { '1@48': 'void', '1@48.2': 12, '1@24.2': 12 });
      const rows = latest(session.outputs, 'predictions');
      assert.deepEqual(
        ['1@48', '1@48.2'].map((key) => [rows.get(key)?.record.madeAt, rows.get(key)?.record.endAt]),
        [
          [START, END],
          [START + DAY_MS, LATER],
        ],
      );
    });

    it('scores the row again when the window moves back', () => {
      const session = moved(later, listed);
      session.observe(START + DAY_MS, tick(FRESH));
      session.answer(START + DAY_MS);
      session.observe(END, tick(FRESH));
      session.observe(END, total(12));
      session.observe(END, closed(1));
      assert.deepEqual(results(session), { '1@24': 12, '1@48': 12 });
      assert.deepEqual(
        ofStream(session.outputs, 'predictions').map(({ key }) => key),
        ['1', '1@48', '1', '1@24'],
      );
    });

    it('takes a score back when the window of a settled event moves', () => {
      const session = watched();
      session.observe(END, total(12));
      session.observe(END, closed(1));
      assert.deepEqual(results(session), { '1@24': 12, '1@48': 12 });
      session.observe(END + 1, later);
      assert.deepEqual(results(session), { '1@24': 'void', '1@48': 'void' });
    });
  });

  it('scores by hand what it scores', () => {
    const session = watched();
    session.observe(END, total(12));
    session.observe(END, closed(1));
    const [score] = scored(session);
    assert.ok(score);
    // 0 to 40 in even steps: p50 is 20, and 12 lies three tenths up.
    assert.ok(Math.abs((score.errorPercent ?? 0) - (8 / 12) * 100) < 1e-9);
    assert.equal(score.model.isCovered, true);
    assert.ok(Math.abs((score.model.pit ?? 0) - 0.3) < 0.01);
    assert.equal(score.pace.isCovered, true);
    assert.ok(score.market);
    assert.ok(Math.abs(score.market.logScore + Math.log(0.3 / 1.2)) < 1e-9);
    assert.ok(Math.abs(score.market.brier - ((0.1 / 1.2) ** 2 + (0.9 / 1.2) ** 2 + (0.8 / 1.2) ** 2)) < 1e-9);
    assert.deepEqual([score.market.crps, score.market.pit, score.market.isCovered], [null, null, null]);
  });

  it('scores the forecast of the offset and that of our own count beside that of the settled one', () => {
    const session = watched();
    session.observe(END - HOUR_MS, post({ id: '1', createdAt: END - HOUR_MS }));
    session.observe(END, total(12));
    session.observe(END, closed(1));
    const [score] = scored(session);
    assert.ok(score);
    // Equal counts were forecast, and the oracle has eleven more than our one.
    assert.deepEqual(score.settlement, { offset: 11, p50: 0, crps: 11, isCovered: false });
    assert.deepEqual(score.own, score.model, 'here both forecasts are the same');
  });

  it('scores no offset where our own count decided, and neither for a row of an older program', () => {
    const session = watched();
    session.observe(END, closed(0));
    assert.deepEqual(
      scored(session).map(({ settlement }) => settlement),
      [null, null],
    );
    const row = predictionOutput({ horizonHours: 24, startAt: START, endAt: END }, { at: END - DAY_MS });
    const { ownP50: _p50, ownQuantiles: _quantiles, settlement: _settlement, ...older } = row.record;
    const ranges = row.record.buckets.map(({ lo }) => ({ lo }));
    const window = windowId({ startAt: START, endAt: END, ranges });
    const outcome = { eventId: 1, endAt: END, window, final: 20, own: 20, wonLo: null };
    const scores: (ScoreRecord | VoidRecord)[] = [];
    performancePipeline(
      {
        event$: NEVER,
        prediction$: of({ ...row, record: older }),
        outcome$: of({ account: 'a', seq: 9, at: END, cause: 'oracle', outcome }),
      },
      new Map(),
      neverFails,
    ).subscribe(({ record }) => {
      if (record.status === 'settled') scores.push(record);
    });
    assert.deepEqual(
      scores.map((score) => score.status === 'settled' && [score.own, score.settlement]),
      [[null, null]],
    );
  });

  it('leaves the market out where a bucket had no price', () => {
    const session = new GraphSession();
    session.observe(START, settings());
    session.observe(START, { kind: 'coverage', account: 'a', fromAt: START });
    session.observe(START, listed);
    session.observe(START, tick(FRESH));
    session.answer(START);
    session.observe(END, closed(0));
    assert.equal(scored(session)[0]?.market, null);
  });

  it('scores any log as a computation of its own does', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const rows = new Map<string, Prediction>();
        const events = new Map<number, EventRecord>();
        const totals = new Map<string, number>();
        let latestAt = 0;
        for (const [{ fact, receivedAt }, outputs] of runByStep(log)) {
          // A clock set back unsettles nothing.
          latestAt = Math.max(latestAt, receivedAt);
          if (fact.kind === 'oracle') totals.set(fact.trackingId, fact.total);
          for (const { record } of ofStream(outputs, 'events')) events.set(record.eventId, record);
          for (const { key, record } of ofStream(outputs, 'predictions')) rows.set(key, record);
          for (const { key, record } of ofStream(outputs, 'scores')) {
            const row = rows.get(key);
            const event = events.get(record.eventId);
            assert.ok(row && event);
            const isOfWindow =
              row.startAt === event.startAt &&
              row.endAt === event.endAt &&
              event.isPartition &&
              isDeepStrictEqual(
                row.buckets.map(({ lo, hi }) => [lo, hi]),
                event.buckets.map(({ lo, hi }) => [lo, hi]),
              );
            assert.equal(record.status, isOfWindow ? 'settled' : 'void');
            if (record.status === 'void') continue;
            const won = event.buckets.find(({ won }) => won);
            assert.equal(event.phase, 'closed');
            assert.ok(latestAt >= event.endAt + (won ? 0 : 2 * HOUR_MS));
            const { final } = record;
            if (event.trackingId !== null) assert.equal(final, totals.get(event.trackingId) ?? final);
            const winner = row.buckets.findIndex(({ lo, hi }) =>
              won ? lo === won.lo : final >= lo && (hi === null || final <= hi),
            );
            assertScore(record, row, winner);
          }
        }
      }),
      { numRuns: 150 },
    );
  });
});

/** CRPS as the integral of the squared distance between two step functions, not by the pinball loss. */
function assertScore(score: ScoreRecord, row: Prediction, winner: number): void {
  const { final } = score;
  assert.equal(score.forecastId, row.forecastId);
  assert.equal(score.wonLo, row.buckets[winner]?.lo ?? null);
  const best = Math.max(...row.buckets.map(({ prob }) => prob));
  assert.deepEqual(score.top, { lo: row.buckets.find(({ prob }) => prob === best)?.lo, prob: best });
  const inner = row.quantiles.slice(1, -1);
  let integral = 0;
  for (let value = Math.min(final, ...inner); value < Math.max(final, ...inner); value++) {
    const below = inner.filter((quantile) => quantile <= value).length / inner.length;
    integral += (below - (final <= value ? 1 : 0)) ** 2;
  }
  // The steps of 99 quantiles end at 99 %, so both agree to a hundredth of the width.
  const width = Math.max(...inner, final) - Math.min(...inner, final);
  assert.ok(Math.abs((score.model.crps ?? 0) - integral) <= 0.03 * width + 1e-9);
  assert.equal(score.model.isCovered, final >= row.p5 && final <= row.p95);
  const probabilities = row.buckets.map(({ prob }) => prob);
  const brier = probabilities.reduce((sum, prob, index) => sum + (prob - (index === winner ? 1 : 0)) ** 2, 0);
  assert.ok(Math.abs(brier - score.model.brier) < 1e-9);
  const logScore = -Math.log(Math.max(1e-9, probabilities[winner] ?? 0));
  assert.ok(Math.abs(logScore - score.model.logScore) < 1e-9);
}
