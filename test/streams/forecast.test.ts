import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  coldStart,
  type Fact,
  type ForecastFact,
  MODEL,
  type ModelRequest,
  type OutputOf,
} from '../../streams/index.ts';
import { DAY_MS, event, HOUR_MS, partition, post, settings, tick } from '../support/facts.ts';
import { answerTo, Listener } from '../support/model-answers.ts';
import { anyLog } from '../support/observations.ts';
import { seenPosts } from './recount.ts';
import { latest, ofStream, runByStep } from './run.ts';

const NOW = 1_000 * DAY_MS;
const MINUTE_MS = 60_000;
const FRESH = { 'posts:a': 0 };
const listed = event({ startAt: NOW - DAY_MS, endAt: NOW + 6 * DAY_MS, buckets: partition() });
const covered = (days: number): Fact => ({ kind: 'coverage', account: 'a', fromAt: NOW - days * DAY_MS });

type Asked = OutputOf<'requests'>;
type ForecastRequest = Extract<ModelRequest, { type: 'forecast' }>;
const isLive = ({ record }: Asked) => record.type === 'forecast' && record.origin === 'live';
const isHistory = ({ record }: Asked) => record.type === 'forecast' && record.origin === 'history';
const isFit = ({ record }: Asked) => record.type === 'fit';

/** A graph that knows the posts of so many days and an open event, and has just heard a fresh tick. */
function started(days: number, ...facts: Fact[]): Listener {
  const listener = new Listener();
  for (const fact of [settings(), listed, covered(days), ...facts, tick(FRESH)]) listener.tell(NOW, fact);
  return listener;
}

/** What is asked of a kind, taken out. */
function taken(listener: Listener, isOfKind: (asked: Asked) => boolean): Asked[] {
  const found = listener.asked.filter(isOfKind);
  for (const asked of found) listener.asked.splice(listener.asked.indexOf(asked), 1);
  return found;
}

function theLive(listener: Listener): ForecastRequest {
  const [asked, ...others] = taken(listener, isLive);
  assert.ok(asked?.record.type === 'forecast');
  assert.deepEqual(others, []);
  return asked.record;
}

describe('forecast', () => {
  describe('asks for coefficients', () => {
    const fits = (listener: Listener) => taken(listener, isFit).map(({ at }) => at - NOW);

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
      const [asked] = taken(listener, isFit);
      assert.ok(asked);
      const fact = answerTo(asked);
      assert.ok(fact.kind === 'fit');
      listener.answer(NOW + 1);
      listener.tell(NOW + 2, { ...fact, params: { ...fact.params, version: 'other-1+5' } });
      listener.tell(NOW + MINUTE_MS, tick(FRESH));
      assert.deepEqual(theLive(listener).params, coldStart());
    });
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
      const [fit] = taken(listener, isFit);
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
      assert.equal(taken(listener, isLive).length, 1);
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
      taken(listener, isLive);
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

  describe('asks for the past', () => {
    const past = (eventId: number, days: number, endedDaysAgo: number) =>
      event({
        eventId,
        slug: `event-${eventId}`,
        startAt: NOW - (endedDaysAgo + days) * DAY_MS,
        endAt: NOW - endedDaysAgo * DAY_MS,
        isClosed: true,
        buckets: partition(eventId),
      });
    const keys = (listener: Listener) => taken(listener, isHistory).map(({ key }) => key);

    it('once there are coefficients and no live forecast is awaited, four at a time', () => {
      const listener = started(60, past(7, 7, 10), past(8, 2, 20));
      assert.deepEqual(keys(listener), []);
      listener.answer(NOW, isFit);
      listener.tell(NOW + MINUTE_MS, tick({}));
      const [first] = listener.asked.filter(isHistory);
      assert.ok(first);
      assert.deepEqual(
        listener.asked.filter(isHistory).map(({ key }) => key),
        ['7@24', '7@48', '7@72', '8@24'],
      );
      listener.tell(NOW + MINUTE_MS + 1, answerTo(first));
      assert.deepEqual(keys(listener), ['7@24', '7@48', '7@72', '8@24', '8@48']);
    });

    it('as it was known then', () => {
      const created = [15, 12, 10.5].map((days, index) =>
        post({ id: String(index), via: 'backfill', createdAt: NOW - days * DAY_MS }),
      );
      const listener = started(60, ...created, past(7, 7, 10));
      listener.answer(NOW, isFit);
      listener.tell(NOW + MINUTE_MS, tick({}));
      const [, asked] = taken(listener, isHistory);
      assert.ok(asked?.record.type === 'forecast');
      const { now, count, params, postTimes, horizonHours } = asked.record;
      assert.equal(horizonHours, 48);
      assert.equal(now, NOW - 12 * DAY_MS);
      assert.equal(params, null);
      assert.equal(count, 1);
      assert.deepEqual([...postTimes], [NOW - 15 * DAY_MS]);
      assert.equal(postTimes.buffer.byteLength, 8);
    });

    it('but not where less than four weeks before it are known', () => {
      for (const [days, isAsked] of [
        [40, false],
        [41, true],
      ] as const) {
        const listener = started(days, past(7, 7, 10));
        listener.answer(NOW, isFit);
        listener.tell(NOW + MINUTE_MS, tick({}));
        assert.equal(keys(listener).length > 0, isAsked, `${days} days`);
      }
    });

    it('each row once, and again after ten minutes without an answer', () => {
      const listener = started(60, past(7, 2, 10));
      listener.answer(NOW, isFit);
      listener.tell(NOW + MINUTE_MS, tick({}));
      const [day, twoDays] = taken(listener, isHistory);
      assert.ok(day && twoDays);
      listener.tell(NOW + MINUTE_MS, answerTo(day));
      listener.tell(NOW + 11 * MINUTE_MS - 1, tick({}));
      assert.deepEqual(keys(listener), []);
      listener.tell(NOW + 11 * MINUTE_MS, tick({}));
      assert.deepEqual(keys(listener), ['7@48']);
      listener.tell(NOW + 12 * MINUTE_MS, answerTo({ ...twoDays, seq: listener.log.length - 1 }));
      listener.tell(NOW + DAY_MS, tick({}));
      assert.deepEqual(keys(listener), []);
    });
  });

  it('looks at no post that is not yet made, and at every one that is', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const said: OutputOf<'counters'>[] = [];
        for (const [{ seq }, outputs] of runByStep(log)) {
          said.push(...ofStream(outputs, 'counters'));
          for (const { record, key } of ofStream(outputs, 'requests')) {
            const { now, account, postTimes } = record;
            const posts = [...(seenPosts(log.slice(0, seq)).get(account)?.values() ?? [])];
            const known = posts.filter(({ isCounted, createdAt }) => isCounted && createdAt < now);
            const expected = known.map(({ createdAt }) => createdAt).sort((a, b) => a - b);
            assert.deepEqual([...postTimes], expected);
            if (record.type === 'fit') continue;
            if (record.origin === 'live') {
              assert.equal(record.count, latest(said, 'counters').get(key)?.record.real);
            } else {
              assert.equal(record.count, expected.filter((at) => at >= record.startAt).length);
            }
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it('never has two live questions about an event in the air, nor one when posts are stale', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const inTheAir = new Map<number, { seq: number; at: number }>();
        let staleAfterMs = 0;
        let limitMs = 0;
        let ages: Readonly<Record<string, number>> = {};
        for (const [{ fact }, outputs] of runByStep(log)) {
          if (fact.kind === 'settings') staleAfterMs = fact.staleAfterMs.posts;
          // What is stale is decided with the tick, by the limits of then.
          if (fact.kind === 'tick') [ages, limitMs] = [fact.ages, staleAfterMs];
          // Of an event that is over nothing is awaited.
          for (const { record } of ofStream(outputs, 'events'))
            if (['ended', 'closed'].includes(record.phase)) inTheAir.delete(record.eventId);
          if (fact.kind === 'forecast' && inTheAir.get(fact.eventId)?.seq === fact.askedSeq)
            inTheAir.delete(fact.eventId);
          for (const { seq, at, record } of ofStream(outputs, 'requests')) {
            if (record.type !== 'forecast' || record.origin !== 'live') continue;
            const other = inTheAir.get(record.eventId);
            assert.ok(other === undefined || Math.abs(at - other.at) >= MINUTE_MS);
            inTheAir.set(record.eventId, { seq, at });
            const age = ages[`posts:${record.account}`];
            assert.ok(age !== undefined && age <= limitMs);
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it('keeps to four questions about the past', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const inTheAir = new Map<string, number>();
        const isAnswer = (fact: Fact): fact is ForecastFact => fact.kind === 'forecast';
        for (const [{ fact, receivedAt }, outputs] of runByStep(log)) {
          if (isAnswer(fact)) inTheAir.delete(`${fact.eventId}@${fact.horizonHours} ${fact.askedSeq}`);
          for (const asked of ofStream(outputs, 'requests')) {
            if (isHistory(asked)) inTheAir.set(`${asked.key} ${asked.seq}`, asked.at);
          }
          for (const [key, at] of inTheAir)
            if (Math.abs(receivedAt - at) >= 10 * MINUTE_MS) inTheAir.delete(key);
          assert.ok(inTheAir.size <= 4);
        }
      }),
      { numRuns: 60 },
    );
  });
});
