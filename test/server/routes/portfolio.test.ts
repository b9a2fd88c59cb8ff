import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod';
import { portfolioRecord } from '../../../src/contract/records/portfolio.ts';
import { SourceError } from '../../../src/errors.ts';
import { DAY_MS } from '../../../streams/internal.ts';
import {
  bucket,
  countersOutput,
  eventOutput,
  FRESH_AGES,
  freshnessOutput,
  NOON,
  velocityOutput,
} from '../../support/outputs.ts';
import { position, WALLET } from '../../support/positions.ts';
import { ALL, EVENT_OF_B, NO, PATH_B, type WalletStage, walletStage } from '../portfolio/stage.ts';
import { json } from '../start.ts';

const Portfolios = z.object({ data: z.array(portfolioRecord) });

describe('GET /portfolio/{account}', () => {
  let stage: WalletStage;
  const open = async (...setting: Parameters<typeof walletStage>) => {
    stage = await walletStage(...setting);
  };
  afterEach(() => stage.running.stop());

  it('does not take events that were not read yet for none', async () => {
    const unlisted = { listedAt: { posts: null, crypto: null } };
    await open([], [freshnessOutput({}, {}, unlisted)]);
    for (const path of [undefined, PATH_B]) {
      const unknown = await stage.get(undefined, path);
      assert.deepEqual([unknown.status, unknown.headers.get('retry-after')], [503, '2']);
      assert.equal((await json(unknown)).code, 'events_unknown');
    }
    stage.running.put(freshnessOutput({}, { seq: 2 }));
    const { data } = await json(await stage.get());
    assert.ok(Array.isArray(data) && data[0].message.startsWith('No event of account_a is active'));
  });

  it('gives the whole record of spec 2.6 with the additive fields', async () => {
    await open([position({ size: 150.5, avgPrice: 0.55, costBasis: 82.775 })]);
    stage.running.put(freshnessOutput(FRESH_AGES, { seq: 9, at: NOON + 1_500 }));
    const response = await stage.get();
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const { timestamp, data } = await json(response);
    assert.equal(timestamp, NOON);
    assert.deepEqual(data, [
      {
        wallet: WALLET,
        event: { id: 1, title: 'Posts of account A', end_ts: NOON + DAY_MS },
        prediction: {
          p5: 18,
          p50: 63,
          p95: 108,
          real_counter: 13,
          seconds_remaining: 86_398,
          velocity_counted_1h: 3,
          forecast_id: '1-7',
          forecast_ts: NOON - 2_000,
        },
        positions: [
          {
            event_id: '1',
            bucket: '0-19',
            outcome: 'Yes',
            token_id: 'yes-1',
            tokens: 150.5,
            avg_price: 0.55,
            cost_basis: 82.78,
            current_price: 0.2,
            current_value: 30.1,
            pnl: -52.68,
            pnl_percent: -63.64,
            mergeable: false,
            analysis: {
              win_probability: 0.25,
              market_implied: 0.2,
              edge: 0.05,
              edge_percent: 25,
              signal: 'BUY',
              recommendation: 'MONITOR',
            },
          },
        ],
        portfolio: {
          total_positions: 1,
          total_cost: 82.78,
          current_value: 30.1,
          total_pnl: -52.68,
          total_pnl_percent: -63.64,
        },
        positions_ts: NOON,
        stale: [],
        as_of: { seq: 8, ts: NOON - 100, ages_ms: { posts: 400, oracle: 2_000, ui: 3_000, prices: 900 } },
      },
    ]);
  });

  describe('positions', () => {
    it('leaves out dust, what is merged or redeemable, closed events and other markets', async () => {
      const other = { conditionId: '0xff', token: '9', marketSlug: 'x', eventId: 7, eventSlug: 'bitcoin' };
      const gone = bucket({ conditionId: '0xee', yesToken: 'yes-9', noToken: 'no-9', marketSlug: 'gone' });
      await open(
        [
          position(),
          position({ size: 0.4 }),
          position({ ...NO, size: 0 }),
          position({ ...NO, isRedeemable: true }),
          position({ ...other, outcome: 'Up' }),
          position({ conditionId: '0xee', token: 'yes-9', marketSlug: 'gone' }),
        ],
        [...ALL, eventOutput({ eventId: 3, phase: 'closed', buckets: [gone] })],
      );
      assert.deepEqual(
        (await stage.records()).map(({ event, positions }) => [event?.id, positions.length]),
        [[1, 1]],
      );
    });

    it('gives one record per active event, the one that ends first first, with or without a position', async () => {
      const late = bucket({ conditionId: '0xdd', yesToken: 'yes-3', noToken: 'no-3', marketSlug: 'late' });
      await open([position()], [...ALL, eventOutput({ eventId: 3, endAt: NOON + 1_000, buckets: [late] })]);
      assert.deepEqual(
        (await stage.records()).map(({ event, positions, portfolio, message }) => [
          event?.id,
          positions.length,
          portfolio.total_positions,
          message,
        ]),
        [
          [3, 0, 0, undefined],
          [1, 1, 1, undefined],
        ],
      );
    });

    it('lists both sides of a pair that can be merged', async () => {
      await open([position({ isMergeable: true }), position({ ...NO, isMergeable: true })]);
      assert.deepEqual(
        (await stage.rows()).map(({ outcome, mergeable }) => [outcome, mergeable]),
        [
          ['Yes', true],
          ['No', true],
        ],
      );
    });

    it('keeps the accounts apart', async () => {
      const ofB = bucket({ conditionId: '0xbb', yesToken: 'yes-b', noToken: 'no-b', marketSlug: 'b' });
      await open(
        [position(), position({ conditionId: '0xbb', token: 'yes-b', marketSlug: 'b' })],
        [
          ...ALL,
          eventOutput({ ...EVENT_OF_B, buckets: [ofB] }),
          velocityOutput({ account: 'b', counted1h: 5 }),
        ],
      );
      assert.deepEqual(
        (await stage.rows()).map(({ event_id, token_id }) => [event_id, token_id]),
        [['1', 'yes-1']],
      );
      const [record] = await stage.records(undefined, PATH_B);
      assert.deepEqual(
        [record?.event?.id, record?.positions[0]?.token_id, record?.prediction?.velocity_counted_1h],
        [2, 'yes-b', 5],
      );
      assert.equal(stage.market.asked.length, 1);
    });

    it('echoes the wallet as it was sent', async () => {
      await open([]);
      for (const wallet of [WALLET, WALLET.toLowerCase()]) {
        assert.equal((await stage.records(`wallet=${wallet}`))[0]?.wallet, wallet);
      }
    });

    it('shows shares that cost nothing as 100 % up', async () => {
      await open([position({ avgPrice: 0, costBasis: 0 })]);
      const [record] = await stage.records();
      assert.deepEqual([record?.positions[0]?.pnl, record?.positions[0]?.pnl_percent], [20, 100]);
      assert.equal(record?.portfolio.total_pnl_percent, 100);
    });
  });

  it('has totals that add up to the cent, whatever is held', async () => {
    const buckets = Array.from({ length: 12 }, (_, index) =>
      bucket({ title: `${index}`, lo: index, hi: index, conditionId: `c${index}`, yesToken: `y${index}` }),
    );
    await open([], [eventOutput({ buckets }), countersOutput()]);
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const held = fc.uniqueArray(
      fc.record({
        index: fc.integer({ min: 0, max: 11 }),
        size: fc.double({ min: 1, max: 1e6, noNaN: true }),
        avgPrice: share,
        currentPrice: share,
      }),
      { selector: ({ index }) => index },
    );
    let serial = 0;
    await fc.assert(
      fc.asyncProperty(held, async (list) => {
        stage.market.answer = () =>
          list.map(({ index, size, avgPrice, currentPrice }) =>
            position({
              conditionId: `c${index}`,
              token: `y${index}`,
              size,
              avgPrice,
              currentPrice,
              costBasis: size * avgPrice,
            }),
          );
        serial += 1;
        const text = await (await stage.get(`wallet=0x${String(serial).padStart(40, '0')}`)).text();
        assert.ok(!/NaN|Infinity|undefined/.test(text));
        const [record] = Portfolios.parse(JSON.parse(text)).data;
        const whole = (amounts: readonly number[] = []) =>
          amounts.reduce((sum, amount) => sum + Math.round(100 * amount), 0);
        const { positions = [], portfolio } = record ?? {};
        assert.ok(portfolio);
        assert.equal(portfolio.total_positions, list.length);
        assert.equal(whole([portfolio.total_cost]), whole(positions.map((row) => row.cost_basis)));
        assert.equal(whole([portfolio.current_value]), whole(positions.map((row) => row.current_value)));
        assert.equal(whole([portfolio.total_pnl]), whole(positions.map((row) => row.pnl)));
        for (const row of positions) {
          assert.equal(row.current_value, Math.round(100 * row.tokens * row.current_price) / 100);
          assert.equal(whole([row.pnl]), whole([row.current_value, -row.cost_basis]));
        }
      }),
      { numRuns: 60 },
    );
  });

  describe('without an active event', () => {
    for (const [name, loaded] of [
      ['none is known', []],
      ['they are over', [eventOutput({ phase: 'ended' }), eventOutput({ eventId: 2, phase: 'closed' })]],
      ['they have not begun', [eventOutput({ phase: 'upcoming' })]],
      ['they are of others', [eventOutput(EVENT_OF_B)]],
    ] as const) {
      it(`says why there are no positions when ${name}`, async () => {
        await open([position()], loaded);
        const { data } = await json(await stage.get(`wallet=${WALLET}&bankroll=1000`));
        assert.deepEqual(data, [
          {
            wallet: WALLET,
            event: null,
            prediction: null,
            positions: [],
            portfolio: {
              total_positions: 0,
              total_cost: 0,
              current_value: 0,
              total_pnl: 0,
              total_pnl_percent: 0,
            },
            message: 'No event of account_a is active, so there are no positions to analyse',
            positions_ts: null,
            stale: [],
            as_of: {
              seq: stage.running.latest.seq,
              ts: stage.running.latest.at,
              ages_ms: { posts: null, oracle: null, ui: null, prices: null },
            },
          },
        ]);
        assert.deepEqual(stage.market.asked, []);
      });
    }

    it('answers though the market is down', async () => {
      await open([], []);
      stage.market.answer = () => Promise.reject(new SourceError('SOURCE_NETWORK', 'broke off'));
      assert.equal((await stage.get()).status, 200);
    });
  });
});
