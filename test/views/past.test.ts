import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PRUNED_BEFORE_NOTE } from '../../src/store/store.ts';
import { createLatest } from '../../src/views/latest.ts';
import { openPast } from '../../src/views/past.ts';
import { SIGNAL_WINDOWS_MS } from '../../src/views/past-signals.ts';
import type { Observation, Output } from '../../streams/internal.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import {
  bucket,
  countersOutput,
  decisionOutput,
  eventOutput,
  lagOutput,
  NOON,
  postOutput,
  predictedBucket,
  predictionOutput,
  priceOutput,
  scoreOutput,
  velocityOutput,
} from '../support/outputs.ts';

const HOUR_MS = 3_600_000;
const STREAMS = ['events', 'counters', 'velocity', 'prices', 'predictions'] as const;
const window = { startAt: NOON - HOUR_MS, endAt: NOON + HOUR_MS, buckets: [bucket({ yesToken: 'yes-1' })] };

/** Observation n is a tick received n seconds after noon, and makes the streams say what is given for it. */
async function past(
  said: Readonly<Record<number, readonly Output[]>>,
  seconds = 10,
  windowsMs: readonly number[] = SIGNAL_WINDOWS_MS,
) {
  const store = createMemoryStore();
  const latest = createLatest();
  for (let seq = 1; seq <= seconds; seq++) {
    const at = NOON + seq * 1_000;
    const tick: Observation = { seq, receivedAt: at, fact: { kind: 'tick', ages: { 'posts:a': seq } } };
    await store.journal.append([tick]);
    const outputs = (said[seq] ?? []).map((output) => ({ ...output, seq, at }));
    await store.outputs.append(outputs, seq);
    latest.apply(outputs, seq, at);
  }
  return { store, latest, past: openPast(store, latest, { windowsMs }) };
}

describe('openPast', () => {
  it('gives each value as it was last emitted by then', async () => {
    const world = await past({
      2: [eventOutput(window), countersOutput({ real: 1 }), velocityOutput({ all1h: 1 })],
      3: [countersOutput({ real: 2 }), priceOutput({ token: 'yes-1', price: 0.3 }), predictionOutput()],
      4: [countersOutput({ real: 3 }), velocityOutput({ all1h: 9 })],
      5: [eventOutput({ ...window, phase: 'closed' }), predictionOutput({ forecastId: 'later' })],
    });
    const then = await world.past.of('a', 3, NOON + 3_500, STREAMS);
    assert.deepEqual(
      [
        then.get('events', '1')?.record.phase,
        then.get('counters', '1')?.record.real,
        then.get('velocity', 'a')?.record.all1h,
        then.get('prices', 'yes-1')?.record.price,
        then.get('predictions', '1')?.record.forecastId,
        then.get('freshness', 'all')?.record.ages,
      ],
      ['active', 2, 1, 0.3, '1-7', { 'posts:a': 3 }],
    );
    assert.equal([...(await world.past.of('a', 1, NOON + 1_000, STREAMS)).all('events')].length, 0);
    assert.equal([...(await world.past.of('a', 5, NOON + 5_000, STREAMS)).all('events')].length, 0);
    assert.equal([...(await world.past.of('b', 3, NOON + 3_500, STREAMS)).all('events')].length, 0);
  });

  it('gives the scores and decisions that were known, each score as it was', async () => {
    const ended = { endAt: NOON - HOUR_MS };
    const world = await past({
      2: [decisionOutput({ eventId: 1 }), scoreOutput({ eventId: 1, final: 10, ...ended })],
      3: [decisionOutput({ eventId: 2 }), scoreOutput({ eventId: 2, account: 'b', ...ended })],
      5: [scoreOutput({ eventId: 1, final: 11, ...ended }), scoreOutput({ eventId: 3, ...ended })],
      6: [scoreOutput({ eventId: 4, endAt: NOON + 5_500 })],
    });
    const known = async (seq: number) => {
      const then = await world.past.of('a', seq, NOON + seq * 1_000, ['scores', 'decisions']);
      return [
        Array.from(then.all('scores'), ({ record }) => [
          record.eventId,
          record.status === 'settled' && record.final,
        ]),
        Array.from(then.all('decisions'), ({ record }) => record.eventId),
      ];
    };
    assert.deepEqual(await known(1), [[], []]);
    assert.deepEqual(await known(2), [[[1, 10]], [1]]);
    assert.deepEqual(await known(4), [[[1, 10]], [1, 2]]);
    assert.deepEqual((await known(10))[0], [
      [1, 11],
      [3, 100],
      [4, 100],
    ]);
  });

  it('gives posts as they were known, newest first, and the delays of that time', async () => {
    const post = (id: string, second: number, fields: object = {}) =>
      postOutput({ id, createdAt: NOON + second * 1_000 - 900, seenAt: NOON + second * 1_000, ...fields });
    const world = await past({
      2: [post('1', 2), lagOutput({ account: 'a', seen: { n: 1, p50: 5, p90: 5, p99: 5 } })],
      3: [post('2', 3)],
      4: [post('1', 2, { deletedAt: NOON + 4_000 })],
      5: [post('3', 5), post('2', 3, { text: 'edited' }), lagOutput({ account: 'a' })],
    });
    const known = async (seq: number) =>
      (await world.past.posts('a', seq, NOON + seq * 1_000, { offset: 0, limit: 10 })).map(({ record }) => [
        record.id,
        record.text === 'edited',
        record.deletedAt,
      ]);
    assert.deepEqual(await known(1), []);
    assert.deepEqual(await known(3), [
      ['2', false, null],
      ['1', false, null],
    ]);
    assert.deepEqual(await known(4), [
      ['2', false, null],
      ['1', false, NOON + 4_000],
    ]);
    assert.deepEqual(await known(5), [
      ['3', false, null],
      ['2', true, null],
      ['1', false, NOON + 4_000],
    ]);
    const lag = async (seq: number) =>
      (await world.past.of('a', seq, NOON + seq * 1_000, ['lag'])).get('lag', 'a')?.record.seen.n;
    assert.deepEqual([await lag(1), await lag(4)], [undefined, 1]);
  });

  it('gives a page of the posts that were known, whatever has changed of them and of older ones since', async () => {
    const change = fc.record({
      seq: fc.integer({ min: 2, max: 8 }),
      id: fc.integer({ min: 1, max: 12 }),
      correctedMs: fc.integer({ min: -11 * HOUR_MS, max: 11 * HOUR_MS }),
    });
    const page = fc.record({ offset: fc.nat(6), limit: fc.integer({ min: 1, max: 6 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 10 }),
        fc.integer({ min: 1, max: 9 }),
        page,
        async (changes, seq, { offset, limit }) => {
          const post = (id: number, correctedMs = 0) =>
            postOutput({
              id: String(id),
              createdAt: NOON - 11 * HOUR_MS - id * 2 * HOUR_MS + correctedMs,
              seenAt: NOON + 1_000,
            });
          const said: Record<number, Output[]> = { 1: Array.from({ length: 12 }, (_, n) => post(n + 1)) };
          for (const each of changes) said[each.seq] = [];
          for (const each of changes) said[each.seq]?.push(post(each.id, each.correctedMs));
          const world = await past(said);
          const known = async (from: number, most: number) =>
            (await world.past.posts('a', seq, NOON + seq * 1_000, { offset: from, limit: most })).map(
              ({ record }) => [record.id, record.createdAt],
            );
          assert.deepEqual(await known(offset, limit), (await known(0, 12)).slice(offset, offset + limit));
        },
      ),
    );
  });

  it('gives posts as they were known while the store is a turn ahead of what readers see', async () => {
    const store = createMemoryStore();
    const latest = createLatest(store.outputs);
    const turn = async (seq: number, fields: object) => {
      const at = NOON + seq * 1_000;
      const tick: Observation = { seq, receivedAt: at, fact: { kind: 'tick', ages: {} } };
      await store.journal.append([tick]);
      const post = postOutput({ id: '1', createdAt: NOON, seenAt: NOON + 1_000, ...fields });
      const outputs = [{ ...post, seq, at }];
      await store.outputs.append(outputs, seq);
      return () => latest.apply(outputs, seq, at);
    };
    const publish = await turn(1, {});
    publish();
    const known = async () =>
      (await openPast(store, latest).posts('a', 1, NOON + 1_500, { offset: 0, limit: 10 })).map(
        ({ seq, record }) => [seq, record.oracleAt],
      );
    assert.deepEqual(await known(), [[1, null]]);
    const publishLater = await turn(2, { oracleAt: NOON + 2_000 });
    assert.deepEqual(await known(), [[1, null]], 'stored, not published');
    publishLater();
    assert.deepEqual(await known(), [[1, null]], 'published');
  });

  it('computes the signals of that time again, which are not stored', async () => {
    const quote = { token: 'yes-1', eventId: 1, bid: 0.1, ask: 0.12, price: 0.11 };
    const forecast = {
      madeAt: NOON + 3_000,
      startAt: NOON - HOUR_MS,
      endAt: NOON + HOUR_MS,
      buckets: [predictedBucket({ prob: 0.6 })],
    };
    const world = await past({
      2: [eventOutput(window), countersOutput()],
      3: [priceOutput(quote), predictionOutput(forecast)],
      5: [priceOutput({ ...quote, bid: 0.58, ask: 0.62, price: 0.6 })],
      7: [countersOutput({ stale: ['posts'] })],
    });
    const said = async (seq: number) => {
      const then = await world.past.of('a', seq, NOON + seq * 1_000, ['events', 'signals']);
      return then.get('signals', '1')?.record.buckets[0]?.action;
    };
    assert.deepEqual(
      [await said(2), await said(3), await said(6), await said(8)],
      ['SKIP', 'BUY', 'HOLD', 'SKIP'],
    );
  });

  it('computes no signals from a forecast for another window of the event', async () => {
    const forecast = { startAt: window.startAt, endAt: window.endAt, madeAt: NOON + 3_000 };
    const world = await past(
      {
        2: [eventOutput(window), countersOutput()],
        3: [predictionOutput(forecast)],
        5: [eventOutput({ ...window, endAt: window.endAt + HOUR_MS })],
      },
      10,
      [1_000],
    );
    const forecastId = async (seq: number) => {
      const then = await world.past.of('a', seq, NOON + seq * 1_000, ['events', 'signals']);
      return then.get('signals', '1')?.record.forecastId;
    };
    assert.deepEqual([await forecastId(4), await forecastId(5), await forecastId(9)], ['1-7', null, null]);
  });

  it('finds the last observation by an instant, but none that no reader has seen', async () => {
    const { past: world, store } = await past({});
    await store.journal.append([{ seq: 11, receivedAt: NOON + 11_000, fact: { kind: 'tick', ages: {} } }]);
    assert.deepEqual(
      [NOON, NOON + 1_000, NOON + 4_999, NOON + 60_000].map((at) => world.seqAt(at)),
      [0, 1, 4, 10],
    );
  });

  it('reaches back to where history begins', async () => {
    const { past: world, store } = await past({});
    assert.equal(world.fromAt(), NOON + 1_000);
    await store.notes.set(PRUNED_BEFORE_NOTE, '4');
    assert.equal(world.fromAt(), NOON + 4_000);
    assert.equal(openPast(createMemoryStore(), createLatest()).fromAt(), null);
  });
});
