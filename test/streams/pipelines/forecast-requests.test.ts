import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Fact, ForecastFact, OutputOf } from '../../../streams/internal.ts';
import { DAY_MS, event, partition, post, settings, tick } from '../../support/facts.ts';
import { answerTo, Listener } from '../../support/model-answers.ts';
import { anyLog } from '../../support/observations.ts';
import { seenPosts } from './recount.ts';
import { latest, ofStream, runByStep } from './run.ts';

const NOW = 1_000 * DAY_MS;
const MINUTE_MS = 60_000;
const FRESH = { 'posts:a': 0 };
const listed = event({ startAt: NOW - DAY_MS, endAt: NOW + 6 * DAY_MS, buckets: partition() });
const covered = (days: number): Fact => ({ kind: 'coverage', account: 'a', fromAt: NOW - days * DAY_MS });

type Asked = OutputOf<'requests'>;
const isHistory = ({ record }: Asked) => record.type === 'forecast' && record.origin === 'history';
const isFit = ({ record }: Asked) => record.type === 'fit';

/** A graph that knows the posts of so many days and an open event, and has just heard a fresh tick. */
function started(days: number, ...facts: Fact[]): Listener {
  const listener = new Listener();
  for (const fact of [settings(), listed, covered(days), ...facts, tick(FRESH)]) listener.tell(NOW, fact);
  return listener;
}

describe('forecast requests', () => {
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
    const keys = (listener: Listener) => listener.take(isHistory).map(({ key }) => key);

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

    it('again at a new start, if it was not answered', () => {
      const listener = started(60, past(7, 7, 10));
      listener.answer(NOW, isFit);
      listener.tell(NOW + MINUTE_MS, tick({}));
      const [first] = listener.take(isHistory);
      assert.ok(first);
      listener.tell(NOW + MINUTE_MS + 1, answerTo(first));
      listener.tell(NOW + MINUTE_MS + 2, settings());
      assert.deepEqual(keys(listener), ['7@48', '7@72']);
    });

    it('as it was known then', () => {
      const created = [15, 12, 10.5].map((days, index) =>
        post({ id: String(index), via: 'backfill', createdAt: NOW - days * DAY_MS }),
      );
      const listener = started(60, ...created, past(7, 7, 10));
      listener.answer(NOW, isFit);
      listener.tell(NOW + MINUTE_MS, tick({}));
      const [, asked] = listener.take(isHistory);
      assert.ok(asked?.record.type === 'forecast');
      const { now, count, params, postTimes, horizonHours } = asked.record;
      assert.equal(horizonHours, 48);
      assert.equal(now, NOW - 12 * DAY_MS);
      assert.equal(params, null);
      assert.equal(count, 1);
      assert.deepEqual([...postTimes], [NOW - 15 * DAY_MS]);
    });

    it('and learns from it with the next fit, before any correction', () => {
      const listener = started(60, past(7, 7, 10), past(8, 7, 3));
      const [first] = listener.take(isFit);
      assert.ok(first?.record.type === 'fit');
      assert.deepEqual(first.record.closed, []);
      listener.tell(NOW, answerTo(first));
      for (let minute = 1; minute < 10; minute++) {
        listener.tell(NOW + minute * MINUTE_MS, tick({}));
        listener.answer(NOW + minute * MINUTE_MS + 1, isHistory);
      }
      listener.tell(NOW + 8 * DAY_MS, tick(FRESH));
      const [next] = listener.take(isFit);
      assert.ok(next?.record.type === 'fit');
      assert.deepEqual(
        next.record.closed.map(({ hours }) => hours),
        [24, 48, 72, 24, 48, 72],
      );
      // As the answers of the test say: spread evenly over the next 40.
      for (const { count, mean, quantiles, final } of next.record.closed) {
        assert.deepEqual([count, final, mean], [0, 0, 20]);
        assert.deepEqual(quantiles, [2, 6, 10, 14, 18, 22, 26, 30, 34, 38]);
      }
    });

    it('from memory that all questions between two posts share', () => {
      const listener = started(60, past(7, 7, 10));
      listener.answer(NOW, isFit);
      listener.tell(NOW + MINUTE_MS, tick({}));
      const buffers = listener.take(isHistory).map(({ record }) => record.postTimes.buffer);
      assert.ok(buffers.length > 1 && buffers[0] instanceof SharedArrayBuffer);
      assert.equal(new Set(buffers).size, 1);
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
      const [day, twoDays] = listener.take(isHistory);
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
          if (fact.kind === 'settings') {
            // A new start: nothing is in the air any more, and no age is known.
            inTheAir.clear();
            [ages, staleAfterMs] = [{}, fact.staleAfterMs.posts];
          }
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

  it('keeps to four questions about the past of an account', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const inTheAir = new Map<string, { account: string; at: number }>();
        const isAnswer = (fact: Fact): fact is ForecastFact => fact.kind === 'forecast';
        for (const [{ fact, receivedAt }, outputs] of runByStep(log)) {
          if (fact.kind === 'settings') inTheAir.clear();
          if (isAnswer(fact)) inTheAir.delete(`${fact.eventId}@${fact.horizonHours} ${fact.askedSeq}`);
          for (const asked of ofStream(outputs, 'requests')) {
            const { key, seq, at, record } = asked;
            if (isHistory(asked)) inTheAir.set(`${key} ${seq}`, { account: record.account, at });
          }
          for (const [key, { at }] of inTheAir)
            if (Math.abs(receivedAt - at) >= 10 * MINUTE_MS) inTheAir.delete(key);
          // Accounts share no state, so that none waits for another.
          const asked = [...inTheAir.values()].map(({ account }) => account);
          for (const account of new Set(asked)) {
            assert.ok(asked.filter((other) => other === account).length <= 4);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
