import assert from 'node:assert/strict';
import { sourceLookupsFrom } from '../../src/engine/source-lookups.ts';
import { createLatest, type Latest } from '../../src/views/latest.ts';
import { createRunner, emptyState, type GraphState } from '../../streams/internal.ts';
import { settings } from '../support/facts.ts';
import { countersOutput, eventOutput, NOON, postOutput, priceOutput } from '../support/outputs.ts';
import { postIdAt } from '../support/payloads.ts';

const MINUTE_MS = 60_000;

describe('sourceLookupsFrom', () => {
  const latest = createLatest();
  const lookupsFrom = (from: Latest, state: Pick<GraphState, 'counters'> = emptyState(), at = NOON) =>
    sourceLookupsFrom({ latest: from, state, accounts: ['a', 'b'], now: () => at });
  const lookups = (at = NOON) => lookupsFrom(latest, emptyState(), at);
  const put = (id: string, createdAt: number, more = {}) =>
    latest.load([postOutput({ id, createdAt, account: 'a', via: 'timeline', ...more })]);
  const good = [1, 2].map((minutes) => postIdAt(NOON - minutes * MINUTE_MS));

  before(() => {
    put(good[0] ?? '', NOON - MINUTE_MS);
    put(good[1] ?? '', NOON - 2 * MINUTE_MS);
    // As earlier versions logged them.
    put(postIdAt(NOON - 3 * MINUTE_MS), Date.UTC(2099, 0));
    put('9'.repeat(20), NOON - 1_000);
  });

  it('starts no polling from a post that cannot be as it says', () => {
    assert.equal(lookups().newestOnTimeline('a'), good[0]);
    assert.equal(lookups().newestOnTimeline('a', NOON - MINUTE_MS), good[1]);
  });

  it('looks up no such post', () => {
    assert.deepEqual(
      lookups()
        .livePosts('a', NOON - 60 * MINUTE_MS)
        .map(({ id }) => id),
      good,
    );
  });

  it('starts from an older post while our clock is behind', () => {
    assert.equal(lookups(NOON - 7 * MINUTE_MS).newestOnTimeline('a'), good[1]);
  });

  it('compares what the oracle counts in a window with what the log has of it', () => {
    const window = { eventId: 5, startAt: NOON - 60 * MINUTE_MS, endAt: NOON + MINUTE_MS };
    assert.equal(lookups().oracleCount(5), undefined);
    latest.load([
      eventOutput(window),
      countersOutput({ eventId: 5, oracle: 3 }),
      postOutput({ id: '7', createdAt: NOON - 5 * MINUTE_MS, account: 'a', oracleAt: NOON }),
    ]);
    assert.deepEqual(lookups().oracleCount(5), { total: 3, known: 1 });
  });

  it('counts anew what the log has of the oracle when a post of the account or the window changes', () => {
    const fresh = createLatest();
    const window = (startMinutes: number) =>
      eventOutput({ eventId: 5, startAt: NOON - startMinutes * MINUTE_MS, endAt: NOON + MINUTE_MS });
    const post = (id: string, minutes: number, more = {}) =>
      postOutput({ id, createdAt: NOON - minutes * MINUTE_MS, account: 'a', oracleAt: NOON, ...more });
    fresh.load([window(60), countersOutput({ eventId: 5, oracle: 9 }), post('7', 5), post('6', 90)]);
    const { oracleCount } = lookupsFrom(fresh);
    const known = () => oracleCount(5)?.known;
    assert.deepEqual([known(), known()], [1, 1]);
    fresh.apply([post('8', 4), post('9', 3, { account: 'b' }), post('10', 2, { oracleAt: null })], 8, NOON);
    assert.equal(known(), 2);
    fresh.apply([post('10', 2)], 9, NOON);
    assert.equal(known(), 3);
    fresh.apply([window(120)], 10, NOON);
    assert.equal(known(), 4);
  });

  it('knows which events are not closed, by account, from the log and from then on', () => {
    const fresh = createLatest();
    const event = (eventId: number, more = {}) => eventOutput({ eventId, ...more });
    const ofB = { subject: { type: 'posts', account: 'b' } as const };
    fresh.load([event(1), event(2, { phase: 'closed' }), event(3, ofB)]);
    const { unsettledEvents } = lookupsFrom(fresh);
    const ids = (account?: string) => unsettledEvents(account).map(({ eventId }) => eventId);
    assert.deepEqual([ids('a'), ids('b'), ids('c'), ids()], [[1], [3], [], [1, 3]]);
    fresh.apply([event(5), event(1, { title: 'renamed' })], 8, NOON);
    assert.deepEqual(ids('a'), [1, 5]);
    fresh.apply([event(1, { phase: 'closed' }), event(5, { phase: 'closed' }), event(4)], 9, NOON);
    assert.deepEqual([ids('a'), ids()], [[4], [4, 3]]);
    fresh.apply([event(3)], 10, NOON);
    assert.deepEqual([ids('a'), ids('b')], [[4, 3], []]);
  });

  it('tells sources of all accounts nothing of one that was removed', () => {
    const fresh = createLatest();
    const of = (account: string) => ({ subject: { type: 'posts', account } as const });
    fresh.load([eventOutput({ eventId: 1, ...of('a') }), eventOutput({ eventId: 2, ...of('removed') })]);
    fresh.apply([eventOutput({ eventId: 3, ...of('removed') })], 8, NOON);
    assert.deepEqual(
      lookupsFrom(fresh)
        .unsettledEvents()
        .map(({ eventId }) => eventId),
      [1],
    );
  });

  it('knows how many posts of a window are counted, if all are known', () => {
    latest.load([countersOutput({ eventId: 6, real: 41 }), countersOutput({ eventId: 7, real: null })]);
    const { realCount } = lookups();
    assert.deepEqual([realCount(6), realCount(7), realCount(8)], [41, null, null]);
  });

  it('knows of which tokens there are prices, which of them out of books, and what was counted', () => {
    const fresh = createLatest();
    const price = (token: string, more = {}) => priceOutput({ token, ...more });
    fresh.load([
      price('1', { bidSize: 5 }),
      price('2', { bidSize: null, askSize: null }),
      countersOutput({ eventId: 5, ui: 3 }),
      countersOutput({ eventId: 6, ui: null }),
    ]);
    const { hasPrice, hasBook, hasUiCount } = lookupsFrom(fresh);
    assert.deepEqual(['1', '2', '3'].map(hasPrice), [true, true, false]);
    assert.deepEqual(['1', '2', '3'].map(hasBook), [true, false, false]);
    assert.deepEqual([5, 6, 7].map(hasUiCount), [true, false, false]);
  });

  it('knows which totals the log has, also those that no event shows', () => {
    const state = emptyState();
    const runner = createRunner(state);
    const total = { kind: 'oracle', account: 'a', trackingId: 't', total: 5, syncedAt: null } as const;
    for (const [index, fact] of [settings(), total].entries()) {
      for (const _ of runner.run({ seq: index + 1, receivedAt: NOON, fact }));
    }
    const { hasTotal } = lookupsFrom(createLatest(), state);
    assert.deepEqual([hasTotal('a', 't'), hasTotal('a', 'u'), hasTotal('b', 't')], [true, false, false]);
  });
});
