import assert from 'node:assert/strict';
import { DAY_MS } from '../../../streams/internal.ts';
import {
  bucket,
  countersOutput,
  eventOutput,
  FRESH_AGES,
  freshnessOutput,
  NOON,
  predictedBucket,
  predictionOutput,
  priceOutput,
} from '../../support/outputs.ts';
import { position, WALLET } from '../../support/positions.ts';
import { withSignals } from '../../support/with-signals.ts';
import {
  ALL,
  EVENT_OF_B,
  forecasting,
  NO,
  PATH_B,
  PRICE,
  type WalletStage,
  walletStage,
} from '../portfolio/stage.ts';
import { json } from '../start.ts';

describe('GET /portfolio/{account}, its figures', () => {
  let stage: WalletStage;
  const open = async (...setting: Parameters<typeof walletStage>) => {
    stage = await walletStage(...setting);
  };
  const analysis = async () => (await stage.rows())[0]?.analysis;
  afterEach(() => stage.running.stop());

  it('analyses a No holding as the complement', async () => {
    await open([position(NO)]);
    const [row] = await stage.rows();
    assert.deepEqual([row?.outcome, row?.token_id, row?.current_price], ['No', 'no-1', 0.8]);
    assert.deepEqual(row?.analysis, {
      win_probability: 0.75,
      market_implied: 0.8,
      edge: -0.05,
      edge_percent: -6.25,
      signal: 'AVOID',
      recommendation: 'CONSIDER_SELLING',
    });
  });

  describe('analysis', () => {
    for (const [name, prob, price, expected] of [
      ['above 30 %', 0.1301, 0.1, ['STRONG_BUY', 'MONITOR']],
      ['at 30 %', 0.13, 0.1, ['BUY', 'MONITOR']],
      ['above 10 %', 0.1101, 0.1, ['BUY', 'MONITOR']],
      ['at 10 %', 0.11, 0.1, ['HOLD', 'MONITOR']],
      ['above 0 %', 0.1001, 0.1, ['HOLD', 'MONITOR']],
      ['at 0 %', 0.1, 0.1, ['AVOID', 'MONITOR']],
      ['above -10 %', 0.0901, 0.1, ['AVOID', 'MONITOR']],
      ['at -10 %', 0.09, 0.1, ['SELL', 'MONITOR']],
      ['above 0.20', 0.7001, 0.5, ['STRONG_BUY', 'STRONG_HOLD']],
      ['at 0.20', 0.7, 0.5, ['STRONG_BUY', 'HOLD']],
      ['above 0.05', 0.5501, 0.5, ['BUY', 'HOLD']],
      ['at 0.05', 0.55, 0.5, ['HOLD', 'MONITOR']],
      ['above -0.05', 0.4501, 0.5, ['AVOID', 'MONITOR']],
      ['at -0.05', 0.45, 0.5, ['SELL', 'CONSIDER_SELLING']],
    ] as const) {
      it(`says ${expected.join(' and ')} ${name}`, async () => {
        await open([position()], forecasting(prob, priceOutput({ ...PRICE, price })));
        const found = await analysis();
        assert.deepEqual([found?.signal, found?.recommendation], expected);
      });
    }

    for (const [prob, edgePercent, signal] of [
      [0, 0, 'AVOID'],
      [0.25, 100, 'STRONG_BUY'],
    ] as const) {
      it(`shows an edge of ${prob} at a price of 0 as ${edgePercent} %`, async () => {
        await open([position()], forecasting(prob, priceOutput({ ...PRICE, price: 0 })));
        const found = await analysis();
        assert.deepEqual([found?.edge_percent, found?.signal], [edgePercent, signal]);
      });
    }

    it("gives a bucket that the oracle's count has passed no chance, and its No side every chance", async () => {
      await open([position(), position(NO)], forecasting(0.25, countersOutput({ real: 20, oracle: 20 })));
      const found = await stage.rows();
      assert.deepEqual(
        found.map((row) => row.analysis.win_probability),
        [0, 1],
      );
    });

    it('shows no percentile below the count', async () => {
      await open([], [...ALL, countersOutput({ oracle: 70 })]);
      const [record] = await stage.records();
      assert.deepEqual(
        [record?.prediction?.p5, record?.prediction?.p50, record?.prediction?.p95],
        [70, 70, 108],
      );
    });

    it('shows what is held even before the first forecast', async () => {
      await open([position()], [eventOutput(), priceOutput(PRICE)]);
      const [record] = await stage.records(`wallet=${WALLET}&bankroll=1000`);
      assert.deepEqual(record?.prediction, {
        p5: null,
        p50: null,
        p95: null,
        real_counter: null,
        seconds_remaining: DAY_MS / 1_000,
        velocity_counted_1h: null,
        forecast_id: null,
        forecast_ts: null,
      });
      const [row] = record?.positions ?? [];
      assert.equal(row?.current_value, 20);
      assert.deepEqual(row?.analysis, {
        win_probability: null,
        market_implied: 0.2,
        edge: null,
        edge_percent: null,
        signal: null,
        recommendation: null,
      });
      assert.deepEqual(row?.sizing, {
        kelly_fraction: null,
        target_value: null,
        adjustment: null,
        action: null,
        limit_price: null,
      });
    });

    it('knows no edge in a bucket that the forecast has not', async () => {
      await open([position()], [...ALL, predictionOutput({ buckets: [predictedBucket({ hi: 24 })] })]);
      assert.equal((await analysis())?.win_probability, null);
    });
  });

  describe('prices', () => {
    it('takes ours before that of the list, which may be minutes old', async () => {
      await open([position({ currentPrice: 0.6 }), position({ ...NO, currentPrice: 0.4 })]);
      assert.deepEqual(
        (await stage.rows()).map((row) => [
          row.current_price,
          row.analysis.market_implied,
          row.current_value,
        ]),
        [
          [0.2, 0.2, 20],
          [0.8, 0.8, 80],
        ],
      );
    });

    for (const [name, output, expected] of [
      ['stale', countersOutput({ stale: ['prices'] }), [null, null, null]],
      ['late', freshnessOutput({ ...FRESH_AGES, prices: 60_001 }, { at: NOON }), [null, null, null]],
      ['unknown', priceOutput({ ...PRICE, price: null, priceKind: null }), [0.0278, 0.0278, null]],
    ] as const) {
      it(`values a position by the list when ours is ${name}, but knows no edge by a stale price`, async () => {
        await open([position({ currentPrice: 0.2222 })], forecasting(0.25, output));
        const edges = [];
        for (const ageMs of [0, 60_000, 60_001]) {
          stage.running.clock.now = NOON + ageMs;
          const [row] = await stage.rows();
          assert.deepEqual([row?.current_price, row?.current_value], [0.2222, 22.22]);
          edges.push(row?.analysis.edge);
        }
        assert.deepEqual(edges, expected);
        assert.equal(stage.market.asked.length, 1);
      });
    }

    it('sees a price that moves without asking the market again', async () => {
      await open([position()]);
      await stage.rows();
      stage.running.put(priceOutput({ ...PRICE, price: 0.3 }, { seq: 20 }));
      assert.equal((await stage.rows())[0]?.current_price, 0.3);
      assert.equal(stage.market.asked.length, 1);
    });
  });

  describe('sizing', () => {
    const sizing = async (bankroll: number) =>
      (await stage.rows(`wallet=${WALLET}&bankroll=${bankroll}`))[0]?.sizing;

    it('is left out without a bankroll', async () => {
      await open([position()]);
      assert.ok((await stage.rows()).every((row) => !('sizing' in row)));
    });

    it('adds to a position that the signals buy, by their stake at the best ask', async () => {
      await open([position({ size: 10 })], forecasting(0.35));
      // With the fee the ask of 0.21 costs 0.2183: an eighth of (0.35 - 0.2183) / (1 - 0.2183), as skill is unproven.
      assert.deepEqual(await sizing(1_000), {
        kelly_fraction: 0.021,
        target_value: 21,
        adjustment: 19,
        action: 'ADD_MORE',
        limit_price: 0.21,
      });
    });

    it('leaves alone what the signals hold, though it has an edge', async () => {
      await open([position({ size: 10 })]);
      assert.deepEqual(await sizing(1_000), {
        kelly_fraction: 0,
        target_value: null,
        adjustment: 0,
        action: 'HOLD',
        limit_price: null,
      });
    });

    it('holds what is less than 5 USD off', async () => {
      await open([position({ size: 80.05 })], forecasting(0.35));
      assert.deepEqual([(await sizing(1_000))?.adjustment, (await sizing(1_000))?.action], [4.99, 'HOLD']);
      await stage.running.stop();
      await open([position({ size: 80 })], forecasting(0.35));
      assert.deepEqual([(await sizing(1_000))?.adjustment, (await sizing(1_000))?.action], [5, 'ADD_MORE']);
    });

    it('trims what is held beyond the target', async () => {
      await open([position({ size: 200 })], forecasting(0.35));
      const found = await sizing(1_000);
      assert.deepEqual(
        [found?.action, found?.target_value, found?.adjustment, found?.limit_price],
        ['TRIM', 21, 19, 0.19],
      );
    });

    it('wants no No held where Yes is worth buying', async () => {
      await open([position(NO)], forecasting(0.35));
      assert.deepEqual(await sizing(1_000), {
        kelly_fraction: 0,
        target_value: 0,
        adjustment: 80,
        action: 'TRIM',
        limit_price: 0.79,
      });
    });

    it('adds to No of a bucket that the count has passed, as the signals offer it', async () => {
      const passed = [countersOutput({ real: 20, oracle: 20 }), priceOutput({ ...PRICE, bidSize: 1_000 })];
      await open([position({ ...NO, size: 10 })], forecasting(0.25, ...passed));
      const found = await sizing(1_000);
      assert.deepEqual(
        [found?.action, found?.kelly_fraction, found?.target_value, found?.adjustment, found?.limit_price],
        ['ADD_MORE', 0.025, 25, 17, 0.81],
      );
    });

    it('never wants more than 5 % of the bankroll in one event', async () => {
      const buckets = [0, 1].map((index) =>
        bucket({ lo: index, hi: index, conditionId: `c${index}`, yesToken: `y${index}` }),
      );
      await open(
        [0, 1].map((index) => position({ conditionId: `c${index}`, token: `y${index}` })),
        withSignals([
          eventOutput({ buckets }),
          countersOutput({ real: 0, oracle: 0 }),
          ...[0, 1].map((index) =>
            priceOutput({ ...PRICE, token: `y${index}`, bid: 0.09, ask: 0.11, price: 0.1 }),
          ),
          predictionOutput({ buckets: [0, 1].map((lo) => predictedBucket({ lo, hi: lo, prob: 0.45 })) }),
        ]),
      );
      const found = await stage.rows(`wallet=${WALLET}&bankroll=1000`);
      assert.deepEqual(
        found.map((row) => [row.sizing?.kelly_fraction, row.sizing?.target_value]),
        [
          [0.0125, 12.5],
          [0.0125, 12.5],
        ],
      );
    });

    it('is unknown while posts are stale, and so is the edge', async () => {
      await open([position()], forecasting(0.35, countersOutput({ stale: ['posts'] })));
      assert.equal((await sizing(1_000))?.action, null);
      assert.deepEqual((await stage.records())[0]?.stale, ['posts']);
      const { win_probability, edge, edge_percent, signal, recommendation } = (await analysis()) ?? {};
      assert.deepEqual([win_probability, edge, edge_percent], [0.35, null, null]);
      assert.deepEqual([signal, recommendation], [null, null]);
    });

    it('is unknown once the forecast is more than five minutes old', async () => {
      for (const [ageMs, action] of [
        [300_000, 'ADD_MORE'],
        [300_001, null],
      ] as const) {
        await stage?.running.stop();
        const buckets = [predictedBucket({ prob: 0.35 })];
        await open(
          [position({ size: 10 })],
          forecasting(0, predictionOutput({ madeAt: NOON - ageMs, buckets })),
        );
        assert.equal((await sizing(1_000))?.action, action);
      }
    });

    it('is not given for account B, whose wallet is the only parameter', async () => {
      await open([position()], [eventOutput(EVENT_OF_B)]);
      const found = await stage.rows(`wallet=${WALLET}`, PATH_B);
      assert.deepEqual(
        found.map((row) => 'sizing' in row),
        [false],
      );
      const refused = await stage.get(`wallet=${WALLET}&bankroll=1000`, PATH_B);
      assert.equal(refused.status, 422);
      assert.deepEqual((await json(refused)).detail, [
        { loc: ['query', 'bankroll'], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' },
      ]);
    });
  });
});
