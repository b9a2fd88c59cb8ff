import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { map, NEVER } from 'rxjs';
import {
  DAY_MS,
  type Fact,
  type ForecastFact,
  HOUR_MS,
  type OutputOf,
  type Prediction,
  predictionHash,
} from '../../../streams/internal.ts';
import { ledger as ledgerPipeline } from '../../../streams/pipelines/ledger.ts';
import { event, log, partition, post, quote, settings, tick, tracking } from '../../support/facts.ts';
import { marbles } from '../../support/marbles.ts';
import { answerTo, GraphSession } from '../../support/model-answers.ts';
import { anyLog } from '../../support/observations.ts';
import { countersOutput, predictionOutput, priceOutput } from '../../support/outputs.ts';
import { latest, lettered, neverFails, ofStream, records, run } from './run.ts';

const START = 100 * DAY_MS;
const END = START + 7 * DAY_MS;
const FRESH = { 'posts:a': 0, prices: 0 };
const listed = event({ startAt: START, endAt: END, buckets: partition() });
const prices = (...figures: number[]): Fact => ({
  kind: 'prices',
  eventId: 1,
  quotes: figures.map((ui, index) => quote({ token: `yes-1-${index}`, ui })),
});

/** A graph in the middle of an event, and the answer to its first request. */
function started(at: number, ...facts: Fact[]): { session: GraphSession; answer: ForecastFact } {
  const session = new GraphSession();
  const covered: Fact = { kind: 'coverage', account: 'a', fromAt: START };
  for (const fact of [settings(), listed, covered, ...facts, tick(FRESH)]) session.observe(at, fact);
  const asked = session.asked.shift();
  assert.ok(asked);
  const answer = answerTo(asked);
  assert.ok(answer.kind === 'forecast');
  return { session, answer };
}

const keys = ({ outputs }: GraphSession) => ofStream(outputs, 'predictions').map(({ key }) => key);

describe('ledger', () => {
  it('makes a row of an answer about a listed event, with the price of that instant', () =>
    marbles(({ hot, expectObservable }) => {
      const at = START + DAY_MS;
      const { answer } = started(at);
      const [listing] = ofStream(run(log([START, listed])), 'events');
      assert.ok(listing);
      const later = { ...answer, askedSeq: answer.askedSeq + 1 };
      const fresh = { output: countersOutput({ stale: [] }), event: listing.record };
      const observation$ = hot('a---a---b-|', lettered({ a: [at, answer], b: [at + 1, later] }));
      const event$ = hot('      --e-------|', { e: listing });
      const counters$ = hot('   --c-------|', { c: fresh });
      const price$ = hot('      ------p---|', {
        p: priceOutput({ eventId: 1, token: 'yes-1-0', price: 0.5 }),
      });
      const expected = '        ----x---y-';
      const quoted$ = ledgerPipeline(
        { observation$, event$, counters$, price$, lag$: NEVER },
        new Map(),
        neverFails,
      ).pipe(map(({ record }) => record.buckets[0]?.price));
      expectObservable(quoted$).toBe(expected, { x: null, y: 0.5 });
    }));

  it('makes a row of an answer, with the prices of that instant', () => {
    const at = START + DAY_MS;
    const { session, answer } = started(at, prices(0.2, 0.3, 0.6));
    session.observe(at + 500, prices(0.25, 0.3, 0.6));
    session.observe(at + 900, answer);
    const [output] = ofStream(session.outputs, 'predictions');
    assert.ok(output);
    const { hash, buckets, quantiles, paceQuantiles, ownQuantiles, ...row } = output.record;
    assert.deepEqual([output.key, output.cause, output.at], ['1', 'model', at + 900]);
    assert.deepEqual(row, {
      forecastId: `1-${answer.askedSeq}`,
      eventId: 1,
      account: 'a',
      origin: 'live',
      horizonHours: null,
      modelVersion: answer.inputs.version,
      seed: answer.seed,
      askedSeq: answer.askedSeq,
      madeAt: at,
      startAt: START,
      endAt: END,
      count: 0,
      p5: 2,
      p50: 20,
      p95: 38,
      paceP50: 10,
      ownP50: 20,
      settlement: answer.settlement,
      sleepProbability: 0.25,
      flipRisk: null,
      moved: [],
    });
    assert.deepEqual([quantiles, paceQuantiles], [answer.forecast.quantiles, answer.pace.quantiles]);
    assert.deepEqual(ownQuantiles, answer.own?.quantiles);
    assert.deepEqual(buckets[0], {
      lo: 0,
      hi: 9,
      prob: answer.forecast.bucketProbs[0],
      paceProb: answer.pace.bucketProbs[0],
      ownProb: answer.own?.bucketProbs[0],
      price: 0.25,
      priceKind: 'ui',
    });
    assert.match(hash, /^[0-9a-f]{64}$/);
  });

  it('makes the row that an older program made of its answer', () => {
    const at = START + DAY_MS;
    const { session, answer } = started(at);
    const { own: _own, settlement: _settlement, ...older } = answer;
    session.observe(at + 900, older);
    const [row] = records(session.outputs, 'predictions');
    assert.ok(row);
    const fields = ['ownP50', 'ownQuantiles', 'settlement'].filter((field) => field in row);
    assert.deepEqual([fields, 'ownProb' in (row.buckets[0] ?? {})], [[], false]);
    assert.equal(predictionHash(row), row.hash);
  });

  it('knows no price while prices are stale', () => {
    const { session, answer } = started(START + DAY_MS, prices(0.2, 0.3, 0.6));
    session.observe(START + DAY_MS, tick({ ...FRESH, prices: 60_001 }));
    session.observe(START + DAY_MS, answer);
    const [row] = records(session.outputs, 'predictions');
    assert.deepEqual(
      row?.buckets.map(({ price, priceKind }) => [price, priceKind]),
      [
        [null, null],
        [null, null],
        [null, null],
      ],
    );
  });

  it('names what moved the median most', () => {
    const moves = [
      [[], 'model'],
      [[{ cause: 'clock', p50: 0 }], 'clock'],
      [[{ cause: 'model', p50: 0 }], 'clock'],
      [
        [
          { cause: 'clock', p50: -1 },
          { cause: 'new_post', p50: 3 },
          { cause: 'model', p50: -2 },
        ],
        'new_post',
      ],
    ] as const;
    for (const [moved, cause] of moves) {
      const { session, answer } = started(START + DAY_MS);
      session.observe(START + DAY_MS, { ...answer, moved });
      assert.equal(ofStream(session.outputs, 'predictions')[0]?.cause, cause);
    }
  });

  it('writes a horizon row within ten minutes after each horizon, once', () => {
    const due = END - 48 * HOUR_MS;
    for (const [offMs, isWritten] of [
      [-1, false],
      [0, true],
      [599_999, true],
      [600_000, false],
    ] as const) {
      const { session, answer } = started(due + offMs);
      session.observe(due + offMs, answer);
      assert.deepEqual(keys(session), isWritten ? ['1', '1@48'] : ['1'], `${offMs} ms after`);
      session.observe(due + offMs, post({ createdAt: due }));
      session.answer(due + offMs);
      assert.equal(keys(session).filter((key) => key === '1@48').length, isWritten ? 1 : 0);
    }
  });

  it('lets history fill a row that live missed, and no other', () => {
    const at = END - 47 * HOUR_MS;
    const { session, answer } = started(at);
    const past = (horizonHours: number): ForecastFact => ({
      ...answer,
      origin: 'history',
      horizonHours,
      inputs: { ...answer.inputs, now: END - horizonHours * HOUR_MS },
    });
    session.observe(at, answer);
    for (const hours of [48, 48, 72]) session.observe(END, past(hours));
    assert.deepEqual(keys(session), ['1', '1@48', '1@72']);
    const row = latest(session.outputs, 'predictions').get('1@48')?.record;
    assert.deepEqual([row?.forecastId, row?.origin, row?.flipRisk], ['1@48', 'history', null]);
    assert.ok(row?.buckets.every(({ price }) => price === null));
  });

  it('gives a row of history the prices that were known at its instant, and a live row none of them', () => {
    const at = END - 47 * HOUR_MS;
    const told = (hours: number, ...prices: (number | null)[]): Fact => ({
      kind: 'past_prices',
      account: 'a',
      eventId: 1,
      at: END - hours * HOUR_MS,
      prices,
    });
    const { session, answer } = started(at);
    const past = (horizonHours: number): ForecastFact => ({
      ...answer,
      origin: 'history',
      horizonHours,
      inputs: { ...answer.inputs, now: END - horizonHours * HOUR_MS },
    });
    // Of another number of buckets, they cannot be of these.
    session.observe(at, told(72, 0.5, 0.5));
    for (const fact of [told(24, 0.9, 0.05, 0.05), told(48, 0.2, null, 0.6)]) session.observe(at, fact);
    session.observe(at, answer);
    for (const hours of [48, 72]) session.observe(END, past(hours));
    const pricesOf = (key: string) =>
      latest(session.outputs, 'predictions')
        .get(key)
        ?.record.buckets.map(({ price, priceKind }) => [price, priceKind]);
    assert.deepEqual(pricesOf('1@48'), [
      [0.2, 'last'],
      [null, null],
      [0.6, 'last'],
    ]);
    for (const key of ['1', '1@72'])
      assert.ok(
        pricesOf(key)?.every(([price]) => price === null),
        key,
      );
  });

  it('leaves out an answer about another window, other buckets, or older than the newest', () => {
    const at = START + DAY_MS;
    const moved = started(at);
    moved.session.observe(at, { ...listed, endAt: END + HOUR_MS });
    moved.session.observe(at, moved.answer);
    assert.deepEqual(keys(moved.session), []);

    const split = started(at);
    const [low, middle, high] = partition();
    assert.ok(low && middle && high);
    split.session.observe(at, {
      ...listed,
      buckets: [{ ...low, hi: 8 }, { ...middle, lo: 9 }, high],
    });
    split.session.observe(at, split.answer);
    assert.deepEqual(keys(split.session), []);

    const late = started(at);
    late.session.observe(at + 60_000, tick(FRESH));
    late.session.answer(at + 60_000);
    late.session.observe(at + 60_001, late.answer);
    assert.deepEqual(keys(late.session), ['1']);
  });

  it('gives the flip risk once the lag of the oracle is known', () => {
    const at = START + DAY_MS;
    const { session } = started(at, tracking({ startAt: START, endAt: END }));
    session.observe(at, { kind: 'oracle', account: 'a', trackingId: 't1', total: 0, syncedAt: null });
    for (let count = 1; count <= 5; count++) {
      const made = at + count * 60_000;
      session.observe(made, post({ id: String(count), createdAt: made }));
      session.observe(made + 50_000, {
        kind: 'oracle',
        account: 'a',
        trackingId: 't1',
        total: count,
        syncedAt: null,
      });
    }
    session.answer(at + HOUR_MS);
    session.observe(at + HOUR_MS, tick(FRESH));
    session.answer(at + HOUR_MS);
    const risk = records(session.outputs, 'predictions').at(-1)?.flipRisk;
    assert.ok(typeof risk === 'number' && risk > 0 && risk < 0.05);
  });

  it('seals every row of any log, and writes each horizon once', () => {
    fc.assert(
      fc.property(anyLog(), (log) => {
        const rows: OutputOf<'predictions'>[] = ofStream(run(log), 'predictions');
        const horizons = rows.filter(({ record }) => record.horizonHours !== null).map(({ key }) => key);
        assert.deepEqual(horizons, [...new Set(horizons)]);
        for (const { record } of rows) {
          const { hash, ...unsealed } = record;
          assert.equal(hash, createHash('sha256').update(JSON.stringify(unsealed)).digest('hex'));
          assert.equal(predictionHash(record), hash);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('hashes a row to the SHA-256 of its JSON, whatever the text', () => {
    const hashOf = (row: object) => createHash('sha256').update(JSON.stringify(row)).digest('hex');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (modelVersion) => {
        const { hash: _published, ...row } = predictionOutput({ modelVersion }).record;
        assert.equal(predictionHash({ ...row, hash: '' }), hashOf(row));
      }),
      { numRuns: 300 },
    );
  });

  it('hashes a row to the same digest on every machine, and a row of an older program as it was published', () => {
    const { record } = predictionOutput({ modelVersion: 'a model' });
    assert.equal(predictionHash(record), 'f2724583daba9aa0eaecca7f63e08e4dcd11bc90f214a0cf1bdabafa216f4a8c');
    const {
      startAt: _startAt,
      ownP50: _p50,
      ownQuantiles: _quantiles,
      settlement: _settlement,
      ...rest
    } = record;
    const buckets = rest.buckets.map(({ ownProb: _prob, ...bucket }) => bucket);
    const older: Prediction = JSON.parse(JSON.stringify({ ...rest, buckets }));
    assert.equal(predictionHash(older), '2b2de123de24e2e3ec08b44f93d45607c4ef9de7f732c12c1cae79acb2cff567');
  });
});
