import assert from 'node:assert/strict';
import fc from 'fast-check';
import { DAY_MS, emptyState, type Fact, HOUR_MS, MINUTE_MS } from '../../../streams/internal.ts';
import { minuteOf } from '../../../streams/model/sampled-minute.ts';
import { event, partition, post, quote, settings, tick, tracking } from '../../support/facts.ts';
import { GraphSession } from '../../support/model-answers.ts';
import { anyLog } from '../../support/observations.ts';
import { ofStream, records, run, runByStep, runInParts } from './run.ts';

const START = 100 * DAY_MS;
const END = START + 2 * DAY_MS;
const AT = START + HOUR_MS;
const AGES = { 'posts:a': 0, 'oracle:a': 0, 'ui:a': 0, prices: 0 };
const listed = event({ startAt: START, endAt: END, buckets: partition() });
const books = (...mids: number[]): Fact => ({
  kind: 'prices',
  eventId: 1,
  quotes: mids.map((mid, index) =>
    quote({ token: `yes-1-${index}`, bid: mid - 0.01, ask: mid + 0.01, bidSize: 10, askSize: 20, last: mid }),
  ),
});

/** A service in an event with prices and without a tick. */
function started(...facts: readonly Fact[]): GraphSession {
  const session = new GraphSession();
  for (const fact of [
    settings(),
    { kind: 'coverage', account: 'a', fromAt: START } as const,
    listed,
    tracking({ startAt: START, endAt: END }),
    ...facts,
  ])
    session.observe(AT, fact);
  return session;
}

const minutesOf = (session: GraphSession) => records(run(session.log), 'minutes');

describe('minutes', () => {
  it('has the market and the model of an active event, once a minute', () => {
    const session = started(books(0.1, 0.4, 0.5), { kind: 'volumes', eventId: 1, volumes: [7, null, 9] });
    for (let second = 0; second <= 150; second++) session.observe(AT + second * 1_000, tick(AGES));
    const found = minutesOf(session);
    assert.deepEqual(found[0], {
      eventId: 1,
      account: 'a',
      at: AT,
      real: 0,
      oracle: null,
      forecastId: null,
      buckets: [
        { lo: 0, hi: 9, volume: 7, mid: 0.1 },
        { lo: 10, hi: 19, volume: null, mid: 0.4 },
        { lo: 20, hi: null, volume: 9, mid: 0.5 },
      ].map(({ mid, ...range }) => ({
        ...range,
        ...{ bid: mid - 0.01, ask: mid + 0.01, bidSize: 10, askSize: 20, last: mid, price: mid, prob: null },
      })),
    });
    assert.deepEqual(
      found.map(({ at }) => minuteOf('a', at) - minuteOf('a', AT)),
      [0, 1, 2],
    );
  });

  it('has the probabilities as they are published, with the id of the forecast', () => {
    const session = started(books(0.1, 0.4, 0.5), tick(AGES));
    session.answer(AT + 1_000);
    session.observe(AT + MINUTE_MS, tick(AGES));
    const minute = minutesOf(session).at(-1);
    const forecast = records(run(session.log), 'predictions').at(-1);
    assert.equal(minute?.forecastId, forecast?.forecastId);
    assert.deepEqual(
      minute?.buckets.map(({ prob }) => prob),
      forecast?.buckets.map(({ prob }) => Math.round(prob * 10_000) / 10_000),
    );
  });

  it('has no probability of a bucket that the count has passed since the forecast', () => {
    const session = started(books(0.1, 0.4, 0.5), tick(AGES));
    session.answer(AT + 1_000);
    for (let id = 1; id <= 10; id++)
      session.observe(AT + 2_000, post({ id: String(id), createdAt: AT + 1_000 + id }));
    session.observe(AT + MINUTE_MS, tick(AGES));
    const [passed, next] = minutesOf(session).at(-1)?.buckets ?? [];
    assert.equal(passed?.prob, null);
    assert.notEqual(next?.prob, null);
  });

  it('has no minute without prices, with stale ones, or outside of the window', () => {
    const later = { ...listed, eventId: 2, startAt: END, endAt: END + DAY_MS, buckets: partition(2) };
    const session = started(later, tick(AGES));
    assert.deepEqual(minutesOf(session), []);
    session.observe(AT + MINUTE_MS, books(0.1, 0.4, 0.5));
    session.observe(AT + MINUTE_MS, tick({ ...AGES, prices: 61_000 }));
    assert.deepEqual(minutesOf(session), []);
    session.observe(AT + 2 * MINUTE_MS, tick(AGES));
    session.observe(END, tick(AGES));
    assert.deepEqual(
      minutesOf(session).map(({ eventId, at }) => [eventId, at]),
      [[1, AT + 2 * MINUTE_MS]],
    );
  });

  it('has no minute twice, though time in the log runs back', () => {
    const session = started(books(0.1, 0.4, 0.5), tick(AGES));
    for (const at of [AT - 10 * MINUTE_MS, AT, AT + MINUTE_MS]) session.observe(at, tick(AGES));
    assert.deepEqual(
      minutesOf(session).map(({ at }) => at),
      [AT, AT + MINUTE_MS],
    );
  });

  it('forgets an event some time after its end', () => {
    const session = started(books(0.1, 0.4, 0.5), tick(AGES));
    const size = () => {
      const state = emptyState();
      run(session.log, state);
      return state.minutes.get('a')?.events.size;
    };
    assert.equal(size(), 1);
    session.observe(END + 2 * DAY_MS, tick(AGES));
    assert.equal(size(), 1);
    session.observe(END + 2 * DAY_MS + MINUTE_MS, tick(AGES));
    assert.equal(size(), 0);
  });

  it('says of any log what the latest records said at that instant, at most once a minute', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const prices = new Map<string, unknown>();
        const sampled = new Map<string, number>();
        for (const [, outputs] of runByStep(log)) {
          for (const output of outputs) {
            if (output.stream === 'prices') prices.set(output.key, output.record.price);
            if (output.stream !== 'minutes') continue;
            const { account, at, buckets, eventId } = output.record;
            assert.notEqual(minuteOf(account, at), sampled.get(output.key));
            sampled.set(output.key, minuteOf(account, at));
            const shown = buckets.map(({ price }) => price);
            const known = buckets.map((_, index) => prices.get(`yes-${eventId}-${index}`) ?? null);
            assert.deepEqual(
              shown,
              known.map((price) => (price === null ? null : Math.round(Number(price) * 10_000) / 10_000)),
            );
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  it('goes on from a checkpoint as if it had not stopped', () => {
    fc.assert(
      fc.property(anyLog(), fc.array(fc.nat(), { maxLength: 4 }), (log, cuts) => {
        const parts = runInParts(
          log,
          cuts.map((cut) => cut % log.length),
        );
        assert.deepEqual(ofStream(parts, 'minutes'), ofStream(run(log), 'minutes'));
      }),
      { numRuns: 50 },
    );
  });
});
