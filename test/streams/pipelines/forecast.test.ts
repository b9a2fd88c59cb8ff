import assert from 'node:assert/strict';
import { map, NEVER } from 'rxjs';
import { coldStart, type Fact, MODEL, type ModelRequest, type OutputOf } from '../../../streams/internal.ts';
import { forecast as forecastPipeline } from '../../../streams/pipelines/forecast.ts';
import { DAY_MS, event, HOUR_MS, partition, post, settings, tick } from '../../support/facts.ts';
import { marbles } from '../../support/marbles.ts';
import { answerTo, Listener } from '../../support/model-answers.ts';
import { eventOutput } from '../../support/outputs.ts';
import { lettered, neverFails } from './run.ts';

const NOW = 1_000 * DAY_MS;
const MINUTE_MS = 60_000;
const FRESH = { 'posts:a': 0 };
const listed = event({ startAt: NOW - DAY_MS, endAt: NOW + 6 * DAY_MS, buckets: partition() });
const covered = (days: number): Fact => ({ kind: 'coverage', account: 'a', fromAt: NOW - days * DAY_MS });

type Asked = OutputOf<'requests'>;
type ForecastRequest = Extract<ModelRequest, { type: 'forecast' }>;
const isLive = ({ record }: Asked) => record.type === 'forecast' && record.origin === 'live';
const isFit = ({ record }: Asked) => record.type === 'fit';

/** A graph that knows the posts of so many days and an open event, and has just heard a fresh tick. */
function started(days: number, ...facts: Fact[]): Listener {
  const listener = new Listener();
  for (const fact of [settings(), listed, covered(days), ...facts, tick(FRESH)]) listener.tell(NOW, fact);
  return listener;
}

function theLive(listener: Listener): ForecastRequest {
  const [asked, ...others] = listener.take(isLive);
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

  describe('asks for coefficients', () => {
    const fits = (listener: Listener) => listener.take(isFit).map(({ at }) => at - NOW);

    it('once a fortnight is known', () => {
      const listener = started(13);
      assert.deepEqual(fits(listener), []);
      listener.tell(NOW + DAY_MS - 1, tick(FRESH));
      assert.deepEqual(fits(listener), []);
      listener.tell(NOW + DAY_MS, tick(FRESH));
      assert.deepEqual(fits(listener), [DAY_MS]);
    });

    it('again after ten minutes without an answer, and a week after one', () => {
      const listener = started(30);
      assert.deepEqual(fits(listener), [0]);
      listener.tell(NOW + 10 * MINUTE_MS - 1, tick(FRESH));
      assert.deepEqual(fits(listener), []);
      listener.tell(NOW + 10 * MINUTE_MS, tick(FRESH));
      listener.answer(NOW + 10 * MINUTE_MS, isFit);
      listener.tell(NOW + 7 * DAY_MS, tick(FRESH));
      assert.deepEqual(fits(listener), []);
      listener.tell(NOW + 7 * DAY_MS + 10 * MINUTE_MS, tick(FRESH));
      assert.deepEqual(fits(listener), [7 * DAY_MS + 10 * MINUTE_MS]);
    });

    it('when much more of the past has become known', () => {
      const listener = started(30);
      listener.answer(NOW);
      listener.tell(NOW + 1, covered(44));
      assert.deepEqual(fits(listener), []);
      listener.tell(NOW + 2, covered(45));
      assert.deepEqual(fits(listener), [2]);
    });

    it('and takes none of another model', () => {
      const listener = started(30);
      const [asked] = listener.take(isFit);
      assert.ok(asked);
      const fact = answerTo(asked);
      assert.ok(fact.kind === 'fit');
      listener.answer(NOW + 1);
      listener.tell(NOW + 2, { ...fact, params: { ...fact.params, version: 'other-1+5' } });
      listener.tell(NOW + MINUTE_MS, tick(FRESH));
      assert.deepEqual(theLive(listener).params, coldStart());
    });
  });

  it('asks again at a new start for what nobody is left to answer, once it knows how old posts are', () => {
    const listener = started(30);
    const asked = () => listener.take(() => true).map(({ key }) => key);
    assert.deepEqual(asked(), ['fit:a', '1']);
    listener.tell(NOW + 1_000, settings());
    assert.deepEqual(asked(), ['fit:a']);
    listener.tell(NOW + 1_001, tick({ 'posts:a': 60_000 }));
    assert.deepEqual(asked(), []);
    listener.tell(NOW + 1_002, tick(FRESH));
    assert.deepEqual(
      listener.asked.map(({ key }) => key),
      ['1'],
    );
    listener.answer(NOW + 1_003);
    listener.tell(NOW + 2_000, settings());
    listener.tell(NOW + 2_000, tick(FRESH));
    assert.deepEqual(asked(), ['fit:a'], 'what was answered is not asked again');
  });

  describe('asks for a live forecast', () => {
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
      const listener = started(30);
      const seen = post({ createdAt: NOW - 1 });
      const news: [string, Fact][] = [
        ['new_post', seen],
        ['post_edited', { ...seen, isReply: true }],
        ['post_edited', { ...seen, text: 'counted again' }],
        ['post_deleted', { kind: 'post_gone', account: 'a', id: '1' }],
        ['event_changed', { ...listed, endAt: listed.endAt + HOUR_MS }],
      ];
      const [fit] = listener.take(isFit);
      assert.ok(fit);
      news.push(['model', answerTo(fit)]);
      for (const [reason, fact] of news) {
        listener.answer(NOW + 1);
        listener.tell(NOW + 2, fact);
        assert.deepEqual(
          listener.asked.filter(isLive).map(({ cause }) => cause),
          [reason],
        );
      }
    });

    it('at no news that does not count', () => {
      const listener = started(13);
      listener.answer(NOW);
      listener.tell(NOW + 1, post({ createdAt: NOW, isReply: true }));
      listener.tell(NOW + 1, post({ account: 'b', id: '2', createdAt: NOW }));
      listener.tell(NOW + 1, { ...listed, title: 'another title' });
      assert.deepEqual(listener.asked, []);
    });

    it('of each event one at a time, and again when the answer is in if there was news', () => {
      const listener = started(13);
      assert.equal(listener.take(isLive).length, 1);
      const [asked] = listener.outputs.filter((output): output is Asked => output.stream === 'requests');
      assert.ok(asked);
      listener.tell(NOW + 1, post({ createdAt: NOW }));
      assert.deepEqual(listener.asked, []);
      listener.tell(NOW + 2, answerTo(asked));
      const { count, previous } = theLive(listener);
      assert.equal(count, 1);
      assert.deepEqual(previous, { now: NOW, count: 0, p50: 20, params: coldStart() });
    });

    it('again after a minute without an answer', () => {
      const listener = started(13);
      listener.take(isLive);
      listener.tell(NOW + MINUTE_MS - 1, tick(FRESH));
      assert.deepEqual(listener.asked, []);
      listener.tell(NOW + MINUTE_MS, tick(FRESH));
      assert.equal(theLive(listener).now, NOW + MINUTE_MS);
    });

    it('at least once a minute', () => {
      const listener = started(13);
      const madeAt: number[] = [];
      for (let second = 0; second <= 600; second++) {
        madeAt.push(...listener.asked.filter(isLive).map(({ at }) => at));
        listener.answer(NOW + second * 1_000 + 500);
        listener.tell(NOW + (second + 1) * 1_000, tick(FRESH));
      }
      const gaps = madeAt.slice(1).map((at, index) => at - (madeAt[index] ?? 0));
      assert.ok(gaps.length >= 9);
      assert.ok(gaps.every((gap) => gap <= MINUTE_MS && gap >= MINUTE_MS - 1_000));
    });

    it('with the newest coefficients, and with the same seed', () => {
      const listener = started(30);
      const seeds = new Set(
        listener.asked.filter(isLive).map(({ record }) => 'seed' in record && record.seed),
      );
      listener.answer(NOW + 1);
      const { params, seed } = theLive(listener);
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
      const listener = started(13);
      listener.answer(NOW);
      listener.tell(NOW + 1_000, tick({ 'posts:a': 10_001 }));
      listener.tell(NOW + 1_000, post({ createdAt: NOW }));
      listener.tell(NOW + 2 * MINUTE_MS, tick({}));
      assert.deepEqual(listener.asked, []);
      listener.tell(NOW + 2 * MINUTE_MS + 1, tick({ 'posts:a': 10_000 }));
      assert.equal(theLive(listener).count, 1);
    });
  });
});
