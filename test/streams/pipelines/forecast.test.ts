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
  type PostFact,
} from '../../../streams/internal.ts';
import { forecast as forecastPipeline } from '../../../streams/pipelines/forecast.ts';
import { event, partition, post, settings, tick, tracking } from '../../support/facts.ts';
import { marbles } from '../../support/marbles.ts';
import { answerTo, GraphSession } from '../../support/model-answers.ts';
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
        { observation$, event$, post$: NEVER, lag$: NEVER, prediction$: NEVER },
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
        settlement: {
          oracle: null,
          lag: { n: 0, p50: null, p90: null, p99: null },
          deleted: [],
          closed: { posts: 0, deleted: 0, lost: 0, extra: 0 },
        },
        buckets: [
          { lo: 0, hi: 9 },
          { lo: 10, hi: 19 },
          { lo: 20, hi: null },
        ],
        params: coldStart(),
        fromAt: NOW - 13 * DAY_MS,
        postTimes: Float64Array.from(posts.map(({ createdAt }) => createdAt)),
        activity: Float64Array.from([5, 3, 1, 1], (hours) => NOW - hours * HOUR_MS),
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

    it('when the count of the oracle changes, and not when it was only read again', () => {
      const session = started(13, tracking({ startAt: listed.startAt ?? 0, endAt: listed.endAt }));
      session.answer(NOW);
      const total = (total: number, syncedAt: number): Fact => ({
        kind: 'oracle',
        account: 'a',
        trackingId: 't1',
        total,
        syncedAt,
      });
      session.observe(NOW + 1_000, total(4, NOW - 5_000));
      const [asked] = session.take(isLive);
      assert.ok(asked?.record.type === 'forecast');
      const oracle = { count: 4, readAt: NOW - 5_000, answeredAt: NOW - 5_000, changedAt: NOW - 5_000 };
      assert.deepEqual([asked.cause, asked.record.settlement?.oracle], ['oracle', oracle]);
      session.observe(NOW + 1_500, answerTo(asked));
      session.observe(NOW + 2_000, total(4, NOW - 1_000));
      assert.deepEqual(session.asked.filter(isLive), []);
      session.observe(NOW + MINUTE_MS + 1_000, tick({ ...FRESH, 'oracle:a': 3_000 }));
      const read = { readAt: NOW - 1_000, answeredAt: NOW + MINUTE_MS - 2_000, changedAt: NOW - 5_000 };
      assert.deepEqual(theLive(session).settlement?.oracle, { count: 4, ...read });
    });

    it('with the deleted posts of its window, but not those that the oracle itself lists', () => {
      const made = (id: string, hours: number, fields: Partial<PostFact> = {}) =>
        post({ id, createdAt: NOW - hours * HOUR_MS, ...fields });
      const gone = (id: string): Fact => ({ kind: 'post_gone', account: 'a', id });
      const posts = [made('1', 30), made('2', 3), made('3', 2, { via: 'archive' }), made('4', 1)];
      const session = started(13, ...posts, ...['1', '2', '3'].map(gone));
      assert.deepEqual(theLive(session).settlement?.deleted, [
        { createdAt: NOW - 3 * HOUR_MS, upMs: 3 * HOUR_MS },
      ]);
    });

    it('without a deleted post once the list of the oracle has it, whenever that becomes known', () => {
      const seen = post({ id: '2', createdAt: NOW - HOUR_MS });
      const told: Fact = { ...seen, via: 'list', importedAt: NOW - 30 * MINUTE_MS };
      const gone: Fact = { kind: 'post_gone', account: 'a', id: '2' };
      assert.deepEqual(theLive(started(13, seen, told, gone)).settlement?.deleted, []);
      const session = started(13, seen, gone);
      assert.equal(theLive(session).settlement?.deleted.length, 1);
      session.answer(NOW);
      session.observe(NOW + MINUTE_MS, told);
      session.observe(NOW + MINUTE_MS, tick(FRESH));
      assert.deepEqual(theLive(session).settlement?.deleted, []);
    });

    it('with the posts of the list alone when nothing else is read', () => {
      const accounts = settings().accounts.map((account) => ({ ...account, via: 'oracle_list' as const }));
      const found = [20, 6].map((hours) =>
        post({ id: String(hours), createdAt: NOW - hours * HOUR_MS, via: 'archive', isReply: null }),
      );
      assert.deepEqual(
        [...theLive(started(13, settings({ accounts }), ...found)).activity].map(
          (at) => (NOW - at) / HOUR_MS,
        ),
        [20, 6],
      );
    });

    it('with posts of every kind, as far back as more than the list of the oracle is known', () => {
      const made = (id: string, hours: number, via: PostFact['via'], isReply = false) =>
        post({ id, createdAt: NOW - hours * HOUR_MS, via, isReply });
      const found = [
        made('1', 9, 'backfill', true),
        made('2', 8, 'poll'),
        made('3', 7, 'poll', true),
        made('4', 6, 'archive'),
        made('5', 20, 'archive'),
      ];
      const gone: Fact = { kind: 'post_gone', account: 'a', id: '3' };
      assert.deepEqual(
        [...theLive(started(13, ...found, gone)).activity].map((at) => (NOW - at) / HOUR_MS),
        [9, 8, 7, 6],
      );
    });

    it('with what was lost and won in closed events that were followed from their start', () => {
      const past = event({
        eventId: 7,
        slug: 's7',
        startAt: NOW - 10 * DAY_MS,
        endAt: NOW - 5 * DAY_MS,
        buckets: partition(),
      });
      const window = { trackingId: 't7', slug: 's7', startAt: NOW - 10 * DAY_MS, endAt: NOW - 5 * DAY_MS };
      const closedBy = (followedAt: number) => {
        const session = new GraphSession();
        session.observe(followedAt, settings());
        session.observe(followedAt, covered(20));
        session.observe(followedAt, past);
        session.observe(followedAt, tracking(window));
        for (let index = 0; index < 6; index++) {
          const createdAt = NOW - 9 * DAY_MS + index * HOUR_MS;
          session.observe(createdAt, post({ id: String(index), createdAt }));
        }
        session.observe(NOW - 9 * DAY_MS + 6 * HOUR_MS, { kind: 'post_gone', account: 'a', id: '5' });
        session.observe(NOW - 6 * DAY_MS, tick());
        session.observe(NOW - 5 * DAY_MS, {
          kind: 'oracle',
          account: 'a',
          trackingId: 't7',
          total: 4,
          syncedAt: null,
        });
        session.observe(NOW - 5 * DAY_MS + HOUR_MS, {
          ...past,
          isClosed: true,
          buckets: past.buckets.map((bucket, index) => ({ ...bucket, won: index === 0 })),
        });
        session.observe(NOW, listed);
        session.observe(NOW, tick(FRESH));
        return theLive(session).settlement?.closed;
      };
      const { posts = 0, deleted = 0, lost = 0, extra = 0 } = closedBy(NOW - 11 * DAY_MS) ?? {};
      assert.equal(posts, 6);
      assert.ok(deleted > 0 && deleted < 0.1, 'an hour was enough to read the deleted post');
      assert.deepEqual([lost + deleted, extra], [2, 0]);
      assert.deepEqual(closedBy(NOW - 9.5 * DAY_MS), { posts: 0, deleted: 0, lost: 0, extra: 0 });
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
      const settled = { oracle: null, soFar: { least: 0, probs: [1] } };
      assert.deepEqual(previous, { now: NOW, count: 0, ...settled, p50: 20, params: coldStart() });
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
