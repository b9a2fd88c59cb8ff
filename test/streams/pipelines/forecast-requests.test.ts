import assert from 'node:assert/strict';
import fc from 'fast-check';
import { DAY_MS, type Fact, type ForecastFact, HOUR_MS, type OutputOf } from '../../../streams/internal.ts';
import { event, partition, post, settings, tick, tracking } from '../../support/facts.ts';
import { answerTo, type GraphSession } from '../../support/model-answers.ts';
import { anyLog } from '../../support/observations.ts';
import { FRESH, isFit, NOW, started } from './open-event.ts';
import { seenPosts } from './recount.ts';
import { latest, ofStream, runByStep } from './run.ts';

const MINUTE_MS = 60_000;

type Asked = OutputOf<'requests'>;
const isHistory = ({ record }: Asked) => record.type === 'forecast' && record.origin === 'history';

const past = (eventId: number, days: number, endedDaysAgo: number) =>
  event({
    eventId,
    slug: `event-${eventId}`,
    startAt: NOW - (endedDaysAgo + days) * DAY_MS,
    endAt: NOW - endedDaysAgo * DAY_MS,
    isClosed: true,
    buckets: partition(eventId),
  });

describe('forecast requests', () => {
  it('hand on what is known of an account beside its posts, and nothing when that is nothing', () => {
    const prior = { postsPerDay: 25, days: 14 };
    const known = settings({ accounts: settings().accounts.map((account) => ({ ...account, prior })) });
    const session = started(60);
    session.take(() => true);
    const priorsAfter = (minutes: number, fact: Fact) => {
      session.observe(NOW + minutes * MINUTE_MS, fact);
      session.observe(NOW + minutes * MINUTE_MS + 1, tick(FRESH));
      return session.take(() => true).map(({ record }) => ('prior' in record ? record.prior : undefined));
    };
    const given = priorsAfter(2, known);
    assert.ok(given.length > 0);
    assert.deepEqual(new Set(given), new Set([prior]));
    const without = priorsAfter(4, settings());
    assert.ok(without.length > 0);
    assert.deepEqual(new Set(without), new Set([undefined]));
  });

  describe('requests the past', () => {
    const keys = (session: GraphSession) => session.take(isHistory).map(({ key }) => key);

    it('once there are coefficients and no live forecast is awaited, four at a time', () => {
      const session = started(60, past(7, 7, 10), past(8, 2, 20));
      assert.deepEqual(keys(session), []);
      session.answer(NOW, isFit);
      session.observe(NOW + MINUTE_MS, tick({}));
      const [first] = session.asked.filter(isHistory);
      assert.ok(first);
      assert.deepEqual(
        session.asked.filter(isHistory).map(({ key }) => key),
        ['7@24', '7@48', '7@72', '8@24'],
      );
      session.observe(NOW + MINUTE_MS + 1, answerTo(first));
      assert.deepEqual(keys(session), ['7@24', '7@48', '7@72', '8@24', '8@48']);
    });

    it('again at a new start, if it was not answered', () => {
      const session = started(60, past(7, 7, 10));
      session.answer(NOW, isFit);
      session.observe(NOW + MINUTE_MS, tick({}));
      const [first] = session.take(isHistory);
      assert.ok(first);
      session.observe(NOW + MINUTE_MS + 1, answerTo(first));
      session.observe(NOW + MINUTE_MS + 2, settings());
      assert.deepEqual(keys(session), ['7@48', '7@72']);
    });

    it('as it was known then', () => {
      const created = [15, 12, 10.5].map((days, index) =>
        post({ id: String(index), via: 'backfill', createdAt: NOW - days * DAY_MS }),
      );
      const session = started(60, ...created, past(7, 7, 10));
      session.answer(NOW, isFit);
      session.observe(NOW + MINUTE_MS, tick({}));
      const [, asked] = session.take(isHistory);
      assert.ok(asked?.record.type === 'forecast');
      const { now, count, params, postTimes, horizonHours } = asked.record;
      assert.equal(horizonHours, 48);
      assert.equal(now, NOW - 12 * DAY_MS);
      assert.equal(params, null);
      assert.equal(count, 1);
      assert.deepEqual([...postTimes], [NOW - 15 * DAY_MS]);
    });

    it('and learns from it with the next fit, before any correction', () => {
      const session = started(60, past(7, 7, 10), past(8, 7, 3));
      const [first] = session.take(isFit);
      assert.ok(first?.record.type === 'fit');
      assert.deepEqual(first.record.closed, []);
      session.observe(NOW, answerTo(first));
      for (let minute = 1; minute < 10; minute++) {
        session.observe(NOW + minute * MINUTE_MS, tick({}));
        session.answer(NOW + minute * MINUTE_MS + 1, isHistory);
      }
      session.observe(NOW + 8 * DAY_MS, tick(FRESH));
      const [next] = session.take(isFit);
      assert.ok(next?.record.type === 'fit');
      assert.deepEqual(
        next.record.closed.map(({ hours }) => hours),
        [24, 48, 72, 24, 48, 72],
      );
      // As the answers of the test are: spread evenly over the next 40.
      for (const { count, mean, quantiles, final } of next.record.closed) {
        assert.deepEqual([count, final, mean], [0, 0, 20]);
        assert.deepEqual(quantiles, [2, 6, 10, 14, 18, 22, 26, 30, 34, 38]);
      }
    });

    it('and learns from a live one what settled after it, without the offset so far', () => {
      const ends = NOW + 2 * DAY_MS;
      const open = event({
        eventId: 9,
        slug: 's9',
        startAt: NOW - DAY_MS,
        endAt: ends,
        buckets: partition(),
      });
      const window = tracking({ trackingId: 't9', slug: 's9', startAt: NOW - DAY_MS, endAt: ends });
      const posts = [1, 2, 3].map((hours) => post({ id: String(hours), createdAt: NOW - hours * HOUR_MS }));
      const session = started(60, open, window, ...posts);
      session.answer(NOW, isFit);
      const at = ends - DAY_MS;
      session.observe(at, tick(FRESH));
      for (const asked of session.take(() => true)) {
        const fact = answerTo(asked);
        if (fact.kind === 'fit' || fact.settlement === undefined) continue;
        const settlement = { ...fact.settlement, oracle: 1, soFar: { least: 1, probs: [1] } };
        session.observe(at, { ...fact, settlement });
      }
      const won = open.buckets.map((bucket, index) => ({ ...bucket, won: index === 0 }));
      session.observe(ends, { ...open, isClosed: true, buckets: won });
      session.observe(ends, { kind: 'oracle', account: 'a', trackingId: 't9', total: 4, syncedAt: null });
      session.observe(NOW + 8 * DAY_MS, tick(FRESH));
      const [next] = session.take(isFit);
      assert.ok(next?.record.type === 'fit');
      assert.deepEqual(
        next.record.closed.map(({ hours, count, final }) => [hours, count, final]),
        [[24, 1, 4]],
      );
    });

    it('from memory that all requests between two posts share', () => {
      const session = started(60, past(7, 7, 10));
      session.answer(NOW, isFit);
      session.observe(NOW + MINUTE_MS, tick({}));
      const buffers = session.take(isHistory).map(({ record }) => record.postTimes.buffer);
      assert.ok(buffers.length > 1 && buffers[0] instanceof SharedArrayBuffer);
      assert.equal(new Set(buffers).size, 1);
    });

    it('but not where less than four weeks before it are known', () => {
      for (const [days, isAsked] of [
        [40, false],
        [41, true],
      ] as const) {
        const session = started(days, past(7, 7, 10));
        session.answer(NOW, isFit);
        session.observe(NOW + MINUTE_MS, tick({}));
        assert.equal(keys(session).length > 0, isAsked, `${days} days`);
      }
    });

    it('each row once, and again after ten minutes without an answer', () => {
      const session = started(60, past(7, 2, 10));
      session.answer(NOW, isFit);
      session.observe(NOW + MINUTE_MS, tick({}));
      const [day, twoDays] = session.take(isHistory);
      assert.ok(day && twoDays);
      session.observe(NOW + MINUTE_MS, answerTo(day));
      session.observe(NOW + 11 * MINUTE_MS - 1, tick({}));
      assert.deepEqual(keys(session), []);
      session.observe(NOW + 11 * MINUTE_MS, tick({}));
      assert.deepEqual(keys(session), ['7@48']);
      session.observe(NOW + 12 * MINUTE_MS, answerTo({ ...twoDays, seq: session.log.length - 1 }));
      session.observe(NOW + DAY_MS, tick({}));
      assert.deepEqual(keys(session), []);
    });
  });

  describe('when the window of a past event moves', () => {
    /** Both rows of a window of two days are made. */
    function scored(): GraphSession {
      const session = started(60, past(7, 2, 10));
      session.answer(NOW, isFit);
      session.observe(NOW + MINUTE_MS, tick({}));
      for (const asked of session.take(isHistory)) session.observe(NOW + MINUTE_MS, answerTo(asked));
      return session;
    }
    const moved = past(7, 2, 9);

    it('asks for the rows of the new window', () => {
      const session = scored();
      session.observe(NOW + 20 * MINUTE_MS, moved);
      const asked = session.take(isHistory);
      assert.deepEqual(
        asked.map(({ key, record }) => [key, record.type === 'forecast' && record.endAt]),
        [
          ['7@24', moved.endAt],
          ['7@48', moved.endAt],
        ],
      );
    });

    it('asks for them as soon as the answers about the first window have come', () => {
      const session = started(60, past(7, 2, 10));
      session.answer(NOW, isFit);
      session.observe(NOW + MINUTE_MS, tick({}));
      const late = session.take(isHistory);
      assert.equal(late.length, 2);
      session.observe(NOW + MINUTE_MS + 1, moved);
      assert.deepEqual(session.asked.filter(isHistory), []);
      for (const asked of late) session.observe(NOW + 2 * MINUTE_MS, answerTo(asked));
      assert.deepEqual(
        session.asked.filter(isHistory).map(({ key }) => key),
        ['7@24', '7@48'],
      );
      session.answer(NOW + 3 * MINUTE_MS, isHistory);
      const rows = ofStream(session.outputs, 'predictions').filter(({ key }) => key.includes('@'));
      assert.deepEqual(
        rows.map(({ key, record }) => [key, record.endAt]),
        [
          ['7@24', moved.endAt],
          ['7@48', moved.endAt],
        ],
      );
    });

    it('asks for no row of the first window again when it moves back', () => {
      const session = scored();
      session.observe(NOW + 20 * MINUTE_MS, moved);
      session.take(isHistory);
      session.observe(NOW + 40 * MINUTE_MS, past(7, 2, 10));
      session.observe(NOW + 60 * MINUTE_MS, tick({}));
      assert.deepEqual(session.take(isHistory), []);
    });

    it('learns from no forecast of another window', () => {
      const session = scored();
      session.observe(NOW + 20 * MINUTE_MS, moved);
      session.take(isHistory);
      session.observe(NOW + 8 * DAY_MS, tick({}));
      const [fit] = session.take(isFit);
      assert.deepEqual(fit?.record.type === 'fit' && fit.record.closed, []);
    });
  });

  it('looks at no post that is not yet made, and at every one that is', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const emitted: OutputOf<'counters'>[] = [];
        for (const [{ seq }, outputs] of runByStep(log)) {
          emitted.push(...ofStream(outputs, 'counters'));
          for (const { record, key } of ofStream(outputs, 'requests')) {
            const { now, account, postTimes } = record;
            const posts = [...(seenPosts(log.slice(0, seq)).get(account)?.values() ?? [])];
            const known = posts.filter(({ isCounted, createdAt }) => isCounted && createdAt < now);
            const expected = known.map(({ createdAt }) => createdAt).sort((a, b) => a - b);
            assert.deepEqual([...postTimes], expected);
            if (record.type === 'fit') continue;
            if (record.origin === 'live') {
              assert.equal(record.count, latest(emitted, 'counters').get(key)?.record.real);
            } else {
              assert.equal(record.count, expected.filter((at) => at >= record.startAt).length);
            }
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it('never has two live requests about an event open, nor one when posts are stale', () => {
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

  it('keeps to four requests about the past of an account', () => {
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
