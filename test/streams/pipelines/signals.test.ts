import assert from 'node:assert/strict';
import fc from 'fast-check';
import { filter, map, NEVER, Subject } from 'rxjs';
import {
  DAY_MS,
  emptyState,
  type Fact,
  HOUR_MS,
  lastPassing,
  type Output,
  type OutputOf,
  type Prediction,
  type ScoreRecord,
} from '../../../streams/internal.ts';
import { loneStake } from '../../../streams/model/sizing.ts';
import { kellyOf } from '../../../streams/pipelines/event-signals.ts';
import { signals } from '../../../streams/pipelines/signals.ts';
import { event, partition, post, quote, settings, tick, tracking } from '../../support/facts.ts';
import { marbles } from '../../support/marbles.ts';
import { GraphSession } from '../../support/model-answers.ts';
import { anyLog } from '../../support/observations.ts';
import {
  bucket,
  countersOutput,
  eventOutput,
  NOON,
  predictedBucket,
  predictionOutput,
  priceOutput,
  score,
  scoreOutput,
  voidOutput,
} from '../../support/outputs.ts';
import { latest, neverFails, ofStream, records, run, runByStep } from './run.ts';

const START = 100 * DAY_MS;
const END = START + 2 * DAY_MS;
const AGES = { 'posts:a': 0, 'oracle:a': 0, 'ui:a': 0, prices: 0 };
const listed = event({ startAt: START, endAt: END, buckets: partition() });
const books = (...mids: number[]): Fact => ({
  kind: 'prices',
  eventId: 1,
  quotes: mids.map((mid, index) => quote({ token: `yes-1-${index}`, bid: mid - 0.01, ask: mid + 0.01 })),
});
const closed = (winner: number): Fact => ({
  ...listed,
  isClosed: true,
  buckets: partition().map((bucket, index) => ({ ...bucket, won: index === winner })),
});

/** A service in an event whose answers spread the final count evenly over the next 40. */
function started(at = START + HOUR_MS): GraphSession {
  const session = new GraphSession();
  session.observe(at, settings());
  session.observe(at, { kind: 'coverage', account: 'a', fromAt: START });
  session.observe(at, listed);
  session.observe(at, tracking({ startAt: START, endAt: END }));
  session.observe(at, books(0.1, 0.4, 0.5));
  session.observe(at, tick(AGES));
  session.answer(at);
  return session;
}

const emitted = ({ outputs }: GraphSession) => ofStream(outputs, 'signals');
const last = (session: GraphSession) => {
  const output = emitted(session).at(-1);
  assert.ok(output);
  return output;
};
const actions = (session: GraphSession) =>
  Object.fromEntries(last(session).record.buckets.map(({ title, action }) => [title, action]));

describe('signals', () => {
  it('emits the signals of an active event once all that came with an observation is known', () =>
    marbles(({ hot, expectObservable }) => {
      const event = eventOutput({ buckets: [bucket()] }, { at: NOON });
      const counted = { output: countersOutput({ real: 3 }), event: event.record };
      const forecast = predictionOutput({ madeAt: NOON, buckets: [predictedBucket({ prob: 0.6 })] });
      const quoted = priceOutput({ eventId: 1, token: 'yes-1', bid: 0.2, ask: 0.22, price: 0.21 });
      const observation$ = hot('t---t---t-t-|', { t: { seq: 1, receivedAt: NOON, fact: tick() } });
      const event$ = hot('      --e---------|', { e: event });
      const counters$ = hot('   --c---------|', { c: counted });
      const prediction$ = hot(' ------p-----|', { p: forecast });
      const price$ = hot('      ------q-----|', { q: quoted });
      const expected = '        ----s---b---';
      const inputs = { observation$, event$, counters$, prediction$, price$, score$: NEVER };
      const action$ = signals(inputs, new Map(), neverFails, () => ['a']).pipe(
        map(({ record }) => ('track' in record ? record.buckets[0]?.action : record)),
      );
      expectObservable(action$).toBe(expected, { s: 'SKIP', b: 'BUY' });
    }));

  it('emits signals of an event from its opening on, and gives actions once there is a forecast', () => {
    const session = new GraphSession();
    session.observe(START - 1, settings());
    session.observe(START - 1, { kind: 'coverage', account: 'a', fromAt: START - DAY_MS });
    session.observe(START - 1, listed);
    session.observe(START - 1, books(0.1, 0.4, 0.5));
    session.observe(START - 1, tick(AGES));
    assert.deepEqual(emitted(session), []);
    session.observe(START, tick(AGES));
    assert.deepEqual(
      last(session).record.buckets.map(({ codes }) => codes),
      [['NO_FORECAST'], ['NO_FORECAST'], ['NO_FORECAST']],
    );
    session.answer(START + 1);
    assert.deepEqual(actions(session), { '0-9': 'BUY', '10-19': 'SELL', '20+': 'HOLD' });
    assert.deepEqual([last(session).key, last(session).at], ['1', START + 1]);
  });

  it('follows prices, counts, staleness and the clock, and is silent while nothing changes', () => {
    const session = started();
    const at = START + HOUR_MS + 1_000;
    const expectNews = (count: number, ...facts: readonly Fact[]) => {
      const before = emitted(session).length;
      for (const fact of facts) session.observe(at, fact);
      assert.equal(emitted(session).length - before, count, JSON.stringify(facts));
    };
    expectNews(0, tick(AGES), tick(AGES), books(0.1, 0.4, 0.5));
    expectNews(1, books(0.1, 0.2, 0.5));
    assert.equal(actions(session)['10-19'], 'HOLD');
    assert.equal(last(session).cause, 'price');
    expectNews(0, { kind: 'oracle', account: 'a', trackingId: 't1', total: 3, syncedAt: null });
    expectNews(1, { kind: 'ui', eventId: 1, count: 1 });
    assert.equal(last(session).record.asymmetry, 2);
    expectNews(1, tick({ ...AGES, prices: 60_001 }));
    assert.deepEqual(actions(session), { '0-9': 'SKIP', '10-19': 'SKIP', '20+': 'SKIP' });
    assert.deepEqual(last(session).record.stale, ['prices']);
    expectNews(1, tick(AGES));
    assert.equal(actions(session)['0-9'], 'BUY');
  });

  it('puts a bucket first that a post has passed, once the forecast knows, while somebody bids for it', () => {
    const session = started();
    const at = START + HOUR_MS;
    for (let n = 0; n < 10; n++) session.observe(at + n, post({ id: String(n), createdAt: START + n }));
    const passed = () => last(session).record.buckets.find(({ standing }) => standing === 'passed');
    assert.deepEqual([passed()?.action, passed()?.codes], ['SKIP', ['FORECAST_BEHIND_COUNT']]);
    session.answer(at + 20);
    session.answer(at + 20);
    assert.equal(last(session).record.buckets[0]?.title, '0-9');
    assert.deepEqual([passed()?.action, passed()?.codes], ['SELL', ['PASSED_BY_COUNT']]);
    session.observe(at + 21, { kind: 'oracle', account: 'a', trackingId: 't1', total: 10, syncedAt: null });
    assert.equal(last(session).record.buckets[0]?.standing, 'dead');
    assert.equal(actions(session)['0-9'], 'SELL');
  });

  it('shares the cap of the account between its open events', () => {
    const session = started();
    const at = START + HOUR_MS;
    assert.equal(last(session).record.accountShare, 1);
    // The bucket 0-9 of each event is worth 0.25 by the model and costs 0.02: a full bet.
    const cheap = (eventId: number): Fact => ({
      kind: 'prices',
      eventId,
      quotes: [quote({ token: `yes-${eventId}-0`, bid: 0.01, ask: 0.03 })],
    });
    const known = new Map<string, number>();
    for (const eventId of [2, 3, 4, 5, 6, 7]) {
      const slug = `event-${eventId}`;
      session.observe(at, { ...listed, eventId, slug, buckets: partition(eventId) });
      session.observe(at, tracking({ trackingId: `t${eventId}`, slug, startAt: START, endAt: END }));
      session.observe(at, cheap(eventId));
    }
    session.observe(at, cheap(1));
    session.answer(at);
    for (const { key, record } of emitted(session)) known.set(key, record.accountShare);
    assert.equal(known.size, 7);
    const shares = [...new Set(known.values())];
    assert.equal(shares.length, 1);
    // Seven unproven events of 2.5 % each would be 17.5 %.
    assert.equal(shares[0], 0.55);
  });

  it('uses no forecast of another window', () => {
    const session = started();
    assert.ok(Object.values(actions(session)).some((action) => action === 'BUY'));
    session.observe(START + HOUR_MS + 1, { ...listed, endAt: END + HOUR_MS });
    assert.deepEqual(
      [...new Set(last(session).record.buckets.flatMap(({ codes }) => codes))],
      ['NO_FORECAST'],
    );
    session.answer(START + HOUR_MS + 2);
    assert.ok(last(session).record.forecastId !== null);
  });

  it('takes a forecast for old once none has come for five minutes', () => {
    const session = started();
    const at = START + HOUR_MS + 5 * 60_000;
    session.observe(at, tick(AGES));
    assert.equal(actions(session)['0-9'], 'BUY');
    session.observe(at + 1_000, tick(AGES));
    assert.deepEqual(last(session).record.buckets[0]?.codes, ['OLD_FORECAST']);
    assert.equal(last(session).cause, 'clock');
  });

  it('changes horizon and time confidence with the hours left', () => {
    const session = started();
    const at = (leftMs: number) => {
      session.observe(END - leftMs, tick(AGES));
      session.answer(END - leftMs);
      return [last(session).record.horizonHours, last(session).record.timeConfidence];
    };
    assert.deepEqual(at(47 * HOUR_MS), [48, 'MEDIUM']);
    assert.deepEqual(at(24 * HOUR_MS + 1), [48, 'MEDIUM']);
    assert.deepEqual(at(24 * HOUR_MS), [24, 'MEDIUM']);
    assert.deepEqual(at(24 * HOUR_MS - 1), [24, 'HIGH']);
  });

  it('leaves no bucket when the event is over, and then emits no more of it', () => {
    const session = started();
    session.observe(END, tick(AGES));
    assert.deepEqual([last(session).record.buckets, last(session).record.order], [[], null]);
    const count = emitted(session).length;
    session.observe(END + 1, books(0.2, 0.3, 0.4));
    session.observe(END + 2, closed(0));
    session.observe(END + 3, tick(AGES));
    assert.equal(emitted(session).length, count);
  });

  it('freezes what was to be bought at a horizon, once', () => {
    const session = started(END - 24 * HOUR_MS);
    const decisions = ofStream(session.outputs, 'decisions');
    assert.deepEqual(
      decisions.map(({ key, record }) => [
        key,
        record.origin,
        record.strategy,
        record.buys.map(({ lo, side = 'Yes' }) => `${side} ${lo}`),
      ]),
      [['1@24', 'live', null, ['No 10', 'Yes 0']]],
    );
    assert.deepEqual([decisions[0]?.record.confidence, decisions[0]?.record.isProven], ['LOW', false]);
    session.observe(END - 24 * HOUR_MS + 60_000, tick(AGES));
    session.answer(END - 24 * HOUR_MS + 60_000);
    assert.equal(ofStream(session.outputs, 'decisions').length, 1);
  });

  it('freezes nothing while an input is stale', () => {
    const at = END - 24 * HOUR_MS;
    const session = started(at - HOUR_MS);
    session.observe(at, tick({ ...AGES, 'oracle:a': 900_001 }));
    session.answer(at);
    assert.deepEqual(records(session.outputs, 'decisions'), []);
    assert.ok(latest(session.outputs, 'predictions').has('1@24'));
  });

  it('learns from settled events, for the next one of the account', () => {
    const session = started(END - 24 * HOUR_MS);
    session.observe(END + 1, closed(2));
    const next = event({ ...listed, eventId: 2, slug: 'event-2', startAt: END, endAt: END + DAY_MS });
    session.observe(END + 2, { ...next, buckets: partition(2) });
    session.observe(END + 3, tick(AGES));
    const { track, horizonHours } = last(session).record;
    assert.deepEqual([last(session).key, horizonHours, track.n, track.nMarket], ['2', 24, 1, 1]);
    assert.deepEqual([track.confidence, track.isProven, track.hitRate], ['LOW', false, 1]);
  });

  describe('of history', () => {
    /** The decisions of the pipeline from scores and rows alone, one after the other. */
    function decisionsFrom(...messages: readonly (OutputOf<'scores'> | OutputOf<'predictions'>)[]) {
      const emitted: Output[] = [];
      const message$ = new Subject<OutputOf<'scores'> | OutputOf<'predictions'>>();
      signals(
        {
          observation$: NEVER,
          event$: NEVER,
          counters$: NEVER,
          price$: NEVER,
          prediction$: message$.pipe(filter((message) => message.stream === 'predictions')),
          score$: message$.pipe(filter((message) => message.stream === 'scores')),
        },
        new Map(),
        neverFails,
        () => [],
      ).subscribe((output) => emitted.push(output));
      for (const message of messages) message$.next(message);
      return records(emitted, 'decisions');
    }
    const settled = (n: number, fields: Partial<ScoreRecord> = {}) =>
      Array.from({ length: n }, (_, eventId) =>
        scoreOutput({
          eventId,
          endAt: 1_000 + eventId,
          model: score({ logScore: 1 }),
          market: score({ logScore: 1.5 }),
          ...fields,
        }),
      );
    const row = (madeAt: number, fields: Partial<Prediction> = {}) =>
      predictionOutput({ eventId: 900, origin: 'history', horizonHours: 24, madeAt, ...fields });
    const cheap = { buckets: [predictedBucket({ prob: 0.5, price: 0.2 })] };

    it('decides by the prices that were known, and by nothing that was settled later', () => {
      const [first, second] = decisionsFrom(
        ...settled(32),
        row(1_028, cheap),
        row(1_029, { ...cheap, eventId: 901 }),
        row(9_999, { eventId: 902, buckets: [predictedBucket({ prob: 0.5, price: null })] }),
      );
      assert.deepEqual(
        [first?.eventId, first?.isProven, second?.eventId, second?.isProven],
        [900, false, 901, true],
      );
      assert.deepEqual(
        [first?.origin, first?.buys[0]?.price, first?.strategy],
        ['history', 0.2, 'SINGLE_BUCKET'],
      );
    });

    it('lets a corrected score take the place of the first, and the other horizons alone', () => {
      const worse = { model: score({ logScore: 9 }) };
      const proven = (...scores: readonly OutputOf<'scores'>[]) =>
        decisionsFrom(...scores, row(9_999, cheap))[0]?.isProven;
      assert.equal(proven(...settled(32)), true);
      assert.equal(proven(...settled(32), ...settled(32, worse)), false);
      assert.equal(proven(...settled(32), ...settled(32, { ...worse, horizonHours: 48 })), true);
    });

    it('leaves out what is void', () => {
      const taken = settled(3).map(({ record: { eventId, endAt } }) => voidOutput({ eventId, endAt }));
      const proven = (...scores: readonly OutputOf<'scores'>[]) =>
        decisionsFrom(...scores, row(9_999, cheap))[0]?.isProven;
      assert.deepEqual([proven(...settled(32), ...taken), proven(...taken, ...settled(32))], [false, true]);
      assert.equal(proven(...settled(33), ...taken), true);
    });

    it('looks back 200 events', () => {
      const old = Array.from({ length: 200 }, (_, index) =>
        scoreOutput({
          eventId: 300 + index,
          endAt: index,
          model: score({ logScore: 99 }),
          market: score({ logScore: 1 }),
        }),
      );
      const [before] = decisionsFrom(...settled(100), ...old, row(9_999, cheap));
      const [after] = decisionsFrom(...old, ...settled(200), row(9_999, cheap));
      assert.deepEqual([before?.isProven, after?.isProven], [false, true]);
    });
  });

  it('gives after any stop what it last emitted', () => {
    fc.assert(
      fc.property(anyLog(60), (log) => {
        const state = emptyState();
        const emitted = new Map(ofStream(run(log, state), 'signals').map((output) => [output.key, output]));
        const kept = ofStream(lastPassing(state), 'signals');
        for (const output of kept) assert.deepEqual(output, emitted.get(output.key));
        const open = [...emitted.values()].filter(({ record }) => record.buckets.length > 0);
        for (const { key } of open) assert.ok(kept.some((output) => output.key === key));
      }),
      { numRuns: 60 },
    );
  });

  it('skips while an input is stale, never overstakes and never emits the same twice, on any log', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const before = new Map<string, string>();
        const stale = new Map<string, readonly string[]>();
        for (const [, outputs] of runByStep(log)) {
          for (const { key, record } of ofStream(outputs, 'counters')) stale.set(key, record.stale);
          for (const { key, record } of ofStream(outputs, 'signals')) {
            assert.notEqual(JSON.stringify(record), before.get(key));
            before.set(key, JSON.stringify(record));
            if (record.buckets.length === 0) continue;
            assert.deepEqual(record.stale, stale.get(key));
            const isStale = record.stale.length > 0;
            if (isStale) assert.ok(record.buckets.every(({ action }) => action === 'SKIP'));
            const stakes = record.buckets.reduce((sum, each) => sum + loneStake(kellyOf(each)), 0);
            assert.ok(stakes * record.eventShare <= 0.05 + 1e-12);
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it('keeps one decision to a horizon row at most', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const keys = ofStream(run(log), 'decisions').map(({ key }) => key);
        assert.deepEqual(keys, [...new Set(keys)]);
      }),
      { numRuns: 60 },
    );
  });
});
