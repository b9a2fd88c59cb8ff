import assert from 'node:assert/strict';
import { map, NEVER } from 'rxjs';
import {
  coldStart,
  DAY_MS,
  type Fact,
  HOUR_MS,
  MODEL,
  type ModelRequest,
  type OutputOf,
} from '../../../streams/internal.ts';
import { forecast as forecastPipeline } from '../../../streams/pipelines/forecast.ts';
import { partition, post, settings, tick } from '../../support/facts.ts';
import { marbles } from '../../support/marbles.ts';
import { answerTo, type GraphSession } from '../../support/model-answers.ts';
import { eventOutput } from '../../support/outputs.ts';
import { covered, FRESH, isFit, listed, NOW, started } from './open-event.ts';
import { lettered, neverFails } from './run.ts';

const MINUTE_MS = 60_000;

type Asked = OutputOf<'requests'>;
type ForecastRequest = Extract<ModelRequest, { type: 'forecast' }>;
const isLive = ({ record }: Asked) => record.type === 'forecast' && record.origin === 'live';

function theLive(session: GraphSession): ForecastRequest {
  const [asked, ...others] = session.take(isLive);
  assert.ok(asked?.record.type === 'forecast');
  assert.deepEqual(others, []);
  return asked.record;
}

describe('forecast', () => {
  it('requests a forecast once posts are fresh, and gives the outcome of an event that has closed', () =>
    marbles(({ hot, expectObservable }) => {
      const window = { startAt: NOW - DAY_MS, endAt: NOW + DAY_MS, trackingId: 't1' };
      const closed = eventOutput({ ...window, endAt: NOW, phase: 'closed' });
      const total = { kind: 'oracle', account: 'a', trackingId: 't1', total: 7, syncedAt: null } as const;
      const facts = lettered({
        s: [NOW, settings()],
        c: [NOW, covered(2)],
        t: [NOW, tick(FRESH)],
        o: [NOW + 3 * HOUR_MS, total],
      });
      const observation$ = hot('s-c---t-t---o-|', facts);
      const event$ = hot('      ----e-----f---|', { e: eventOutput(window), f: closed });
      const expected = '        ------r-----o-';
      const type$ = forecastPipeline(
        { observation$, event$, post$: NEVER, prediction$: NEVER },
        new Map(),
        neverFails,
      ).pipe(map(({ type }) => type));
      expectObservable(type$).toBe(expected, { r: 'request', o: 'outcome' });
    }));

  it('requests nothing of a past with a gap, neither live nor for the ledger, until it is known again', () => {
    const session = started(60);
    session.answer(NOW, isFit);
    session.take(() => true);
    const gapAt = NOW + MINUTE_MS;
    session.observe(gapAt, { kind: 'coverage', account: 'a', fromAt: gapAt });
    session.observe(gapAt, post({ id: '77', createdAt: gapAt }));
    for (let minute = 1; minute < 5; minute += 1) session.observe(gapAt + minute * MINUTE_MS, tick(FRESH));
    assert.deepEqual(
      session.take(() => true),
      [],
    );
    session.observe(gapAt + 5 * MINUTE_MS, covered(2));
    assert.equal(theLive(session).fromAt, NOW - 2 * DAY_MS);
  });

  describe('requests coefficients', () => {
    const fits = (session: GraphSession) => session.take(isFit).map(({ at }) => at - NOW);

    it('once a fortnight is known', () => {
      const session = started(13);
      assert.deepEqual(fits(session), []);
      session.observe(NOW + DAY_MS - 1, tick(FRESH));
      assert.deepEqual(fits(session), []);
      session.observe(NOW + DAY_MS, tick(FRESH));
      assert.deepEqual(fits(session), [DAY_MS]);
    });

    it('again after ten minutes without an answer, and a week after one', () => {
      const session = started(30);
      assert.deepEqual(fits(session), [0]);
      session.observe(NOW + 10 * MINUTE_MS - 1, tick(FRESH));
      assert.deepEqual(fits(session), []);
      session.observe(NOW + 10 * MINUTE_MS, tick(FRESH));
      session.answer(NOW + 10 * MINUTE_MS, isFit);
      session.observe(NOW + 7 * DAY_MS, tick(FRESH));
      assert.deepEqual(fits(session), []);
      session.observe(NOW + 7 * DAY_MS + 10 * MINUTE_MS, tick(FRESH));
      assert.deepEqual(fits(session), [7 * DAY_MS + 10 * MINUTE_MS]);
    });

    it('when much more of the past has become known', () => {
      const session = started(30);
      session.answer(NOW);
      session.observe(NOW + 1, covered(44));
      assert.deepEqual(fits(session), []);
      session.observe(NOW + 2, covered(45));
      assert.deepEqual(fits(session), [2]);
    });

    it('and takes none of another model', () => {
      const session = started(30);
      const [asked] = session.take(isFit);
      assert.ok(asked);
      const fact = answerTo(asked);
      assert.ok(fact.kind === 'fit');
      session.answer(NOW + 1);
      session.observe(NOW + 2, { ...fact, params: { ...fact.params, version: 'other-1+5' } });
      session.observe(NOW + MINUTE_MS, tick(FRESH));
      assert.deepEqual(theLive(session).params, coldStart());
    });
  });

  it('requests again at a new start what was not answered, once it knows how old posts are', () => {
    const session = started(30);
    const asked = () => session.take(() => true).map(({ key }) => key);
    assert.deepEqual(asked(), ['fit:a', '1']);
    session.observe(NOW + 1_000, settings());
    assert.deepEqual(asked(), ['fit:a']);
    session.observe(NOW + 1_001, tick({ 'posts:a': 60_000 }));
    assert.deepEqual(asked(), []);
    session.observe(NOW + 1_002, tick(FRESH));
    assert.deepEqual(
      session.asked.map(({ key }) => key),
      ['1'],
    );
    session.answer(NOW + 1_003);
    session.observe(NOW + 2_000, settings());
    session.observe(NOW + 2_000, tick(FRESH));
    assert.deepEqual(asked(), ['fit:a'], 'what was answered is not asked again');
  });

  describe('requests a live forecast', () => {
    it('with all that is known and nothing else', () => {
      const posts = [5, 3, 1].map((hours, index) =>
        post({ id: String(index), createdAt: NOW - hours * HOUR_MS, via: 'backfill' }),
      );
      const reply = post({ id: '9', createdAt: NOW - HOUR_MS, isReply: true });
      const { seed, ...asked } = theLive(started(13, ...posts, reply));
      assert.ok(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32);
      assert.deepEqual(asked, {
        type: 'forecast',
        account: 'a',
        eventId: 1,
        origin: 'live',
        horizonHours: null,
        now: NOW,
        startAt: NOW - DAY_MS,
        endAt: NOW + 6 * DAY_MS,
        count: 3,
        buckets: [
          { lo: 0, hi: 9 },
          { lo: 10, hi: 19 },
          { lo: 20, hi: null },
        ],
        params: coldStart(),
        fromAt: NOW - 13 * DAY_MS,
        postTimes: Float64Array.from(posts.map(({ createdAt }) => createdAt)),
        previous: null,
      });
    });

    it('at each post, edit and deletion that counts, each fit and each move of the window', () => {
      const session = started(30);
      const seen = post({ createdAt: NOW - 1 });
      const news: [string, Fact][] = [
        ['new_post', seen],
        ['post_edited', { ...seen, isReply: true }],
        ['post_edited', { ...seen, text: 'counted again' }],
        ['post_deleted', { kind: 'post_gone', account: 'a', id: '1' }],
        ['event_changed', { ...listed, endAt: listed.endAt + HOUR_MS }],
      ];
      const [fit] = session.take(isFit);
      assert.ok(fit);
      news.push(['model', answerTo(fit)]);
      for (const [reason, fact] of news) {
        session.answer(NOW + 1);
        session.observe(NOW + 2, fact);
        assert.deepEqual(
          session.asked.filter(isLive).map(({ cause }) => cause),
          [reason],
        );
      }
    });

    it('at no news that does not count', () => {
      const session = started(13);
      session.answer(NOW);
      session.observe(NOW + 1, post({ createdAt: NOW, isReply: true }));
      session.observe(NOW + 1, post({ account: 'b', id: '2', createdAt: NOW }));
      session.observe(NOW + 1, { ...listed, title: 'another title' });
      assert.deepEqual(session.asked, []);
      const seen = post({ id: '3', createdAt: NOW });
      session.observe(NOW + 2, seen);
      session.answer(NOW + 3);
      session.observe(NOW + 4, { ...seen, via: 'list', importedAt: NOW + 3 });
      assert.deepEqual(session.asked, []);
    });

    it('of each event one at a time, and again when the answer is in if there was news', () => {
      const session = started(13);
      assert.equal(session.take(isLive).length, 1);
      const [asked] = session.outputs.filter((output): output is Asked => output.stream === 'requests');
      assert.ok(asked);
      session.observe(NOW + 1, post({ createdAt: NOW }));
      assert.deepEqual(session.asked, []);
      session.observe(NOW + 2, answerTo(asked));
      const { count, previous } = theLive(session);
      assert.equal(count, 1);
      assert.deepEqual(previous, { now: NOW, count: 0, p50: 20, params: coldStart() });
    });

    it('again after a minute without an answer', () => {
      const session = started(13);
      session.take(isLive);
      session.observe(NOW + MINUTE_MS - 1, tick(FRESH));
      assert.deepEqual(session.asked, []);
      session.observe(NOW + MINUTE_MS, tick(FRESH));
      assert.equal(theLive(session).now, NOW + MINUTE_MS);
    });

    it('at least once a minute', () => {
      const session = started(13);
      const madeAt: number[] = [];
      for (let second = 0; second <= 600; second++) {
        madeAt.push(...session.asked.filter(isLive).map(({ at }) => at));
        session.answer(NOW + second * 1_000 + 500);
        session.observe(NOW + (second + 1) * 1_000, tick(FRESH));
      }
      const gaps = madeAt.slice(1).map((at, index) => at - (madeAt[index] ?? 0));
      assert.ok(gaps.length >= 9);
      assert.ok(gaps.every((gap) => gap <= MINUTE_MS && gap >= MINUTE_MS - 1_000));
    });

    it('with the newest coefficients, and with the same seed', () => {
      const session = started(30);
      const seeds = new Set(
        session.asked.filter(isLive).map(({ record }) => 'seed' in record && record.seed),
      );
      session.answer(NOW + 1);
      const { params, seed } = theLive(session);
      assert.equal(params?.version, `${MODEL}+${NOW}`);
      assert.deepEqual([...seeds], [seed]);
    });

    it('of no event whose posts are unknown, whose buckets have gaps, or that is not open', () => {
      const others: Fact[] = [
        { ...listed, startAt: NOW - 20 * DAY_MS },
        { ...listed, startAt: null },
        { ...listed, buckets: partition().slice(1) },
        { ...listed, startAt: NOW + 1 },
        { ...listed, isClosed: true },
      ];
      for (const other of others) assert.deepEqual(started(13, other).asked, []);
    });

    it('only while the posts are fresh', () => {
      const session = started(13);
      session.answer(NOW);
      session.observe(NOW + 1_000, tick({ 'posts:a': 10_001 }));
      session.observe(NOW + 1_000, post({ createdAt: NOW }));
      session.observe(NOW + 2 * MINUTE_MS, tick({}));
      assert.deepEqual(session.asked, []);
      session.observe(NOW + 2 * MINUTE_MS + 1, tick({ 'posts:a': 10_000 }));
      assert.equal(theLive(session).count, 1);
    });
  });
});
