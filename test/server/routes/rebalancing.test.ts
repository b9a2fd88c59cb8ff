import assert from 'node:assert/strict';
import { SourceError } from '../../../src/errors.ts';
import { DAY_MS } from '../../../streams/internal.ts';
import {
  bucket,
  countersOutput,
  eventOutput,
  NOON,
  predictedBucket,
  predictionOutput,
  priceOutput,
  signalsOutput,
} from '../../support/outputs.ts';
import { position, WALLET } from '../../support/positions.ts';
import { withSignals } from '../../support/with-signals.ts';
import {
  ALL,
  EVENT_OF_B,
  forecasting,
  NO,
  PATH,
  PATH_B,
  PRICE,
  REBALANCING,
  type WalletStage,
  walletStage,
} from '../portfolio/stage.ts';
import { json } from '../start.ts';

/** Worth buying: Yes at 0.20, by the model 0.35. */
const BUYING = forecasting(0.35);

describe('GET /portfolio/{account}/rebalancing', () => {
  let stage: WalletStage;
  const open = async (...setting: Parameters<typeof walletStage>) => {
    stage = await walletStage(...setting);
  };
  const get = (query: string, path = REBALANCING) => stage.get(query, path);
  const adjustments = async (query: string) =>
    (await stage.rebalancings(query)).flatMap((each) => each.adjustments);
  afterEach(() => stage.running.stop());

  it('gives the whole record', async () => {
    await open([position({ size: 10 })], BUYING);
    const response = await get(`wallet=${WALLET}&bankroll=1000`);
    assert.equal(response.status, 200);
    assert.deepEqual(await json(response), {
      timestamp: NOON,
      data: [
        {
          wallet: WALLET,
          event: { id: 1, title: 'Posts of account A', end_ts: NOON + DAY_MS },
          bankroll: 1_000,
          threshold: 5,
          adjustments: [
            {
              event_id: 1,
              bucket: '0-19',
              token_id: 'yes-1',
              outcome: 'Yes',
              action: 'ADD_MORE',
              current_value: 2,
              target_value: 21,
              adjustment: 19,
              kelly_fraction: 0.021,
              model_prob: 0.35,
              current_price: 0.2,
              edge: 0.15,
              limit_price: 0.21,
              reasons: [
                'the model gives Yes on 0-19 35.00 % and the market 20.00 %: an edge of +15.00 points',
                'the target is 2.10 % of 1000 USD, 21.00 USD, and 2.00 USD are held',
                'the model has not been shown to be better than the market this long before the close',
              ],
            },
          ],
          positions_ts: NOON,
          stale: [],
          as_of: {
            seq: 8,
            ts: NOON - 100,
            ages_ms: { posts: null, oracle: null, ui: null, prices: null },
          },
        },
      ],
    });
  });

  it('trims what has no edge, and says that a pair may be merged instead', async () => {
    await open([position({ ...NO, isMergeable: true })], BUYING);
    const [found] = await adjustments('bankroll=1000');
    assert.deepEqual(
      [found?.action, found?.outcome, found?.token_id, found?.adjustment, found?.target_value],
      ['TRIM', 'No', 'no-1', 80, 0],
    );
    assert.deepEqual(found?.reasons, [
      'the model gives No on 0-19 65.00 % and the market 80.00 %: an edge of -15.00 points',
      'there is no edge to hold it for: the target is 0 USD and 80.00 USD are held',
      'the model has not been shown to be better than the market this long before the close',
      'both sides are held: what overlaps can be merged instead of sold',
    ]);
  });

  it('does not mention the market where the model was shown to be better', async () => {
    await open([position(NO)], [...BUYING, signalsOutput()]);
    assert.equal((await adjustments('bankroll=1000'))[0]?.reasons.length, 2);
  });

  for (const [threshold, count] of [
    [18.99, 1],
    [19, 1],
    [19.01, 0],
  ] as const) {
    it(`tells of ${count} that is 19 USD off at a threshold of ${threshold}`, async () => {
      await open([position({ size: 10 })], BUYING);
      assert.equal((await adjustments(`bankroll=1000&threshold=${threshold}`)).length, count);
    });
  }

  it('has a threshold of 5 USD by default', async () => {
    await open([position({ size: 80.05 })], BUYING);
    assert.equal((await adjustments('bankroll=1000')).length, 0);
    assert.deepEqual(
      (await adjustments('bankroll=1000&threshold=4.99')).map(({ adjustment }) => adjustment),
      [4.99],
    );
  });

  it('agrees with the sizes of the portfolio', async () => {
    await open([position({ size: 10 }), position(NO)], BUYING);
    const sizes = (await stage.rows(`wallet=${WALLET}&bankroll=1000`)).map((row) => row.sizing);
    const found = await adjustments('bankroll=1000');
    assert.deepEqual(
      found.map(({ kelly_fraction, target_value, adjustment, action, limit_price }) => ({
        kelly_fraction,
        target_value,
        adjustment,
        action,
        limit_price,
      })),
      sizes.toReversed(),
    );
    assert.equal(stage.market.asked.length, 1);
  });

  it('lists the largest adjustment first, and an event without one too', async () => {
    const buckets = [0, 1, 2].map((index) =>
      bucket({ title: `${index}`, lo: index, hi: index, conditionId: `c${index}`, yesToken: `y${index}` }),
    );
    const [small, large, middle] = [20, 60, 40].map((size, index) =>
      position({ conditionId: `c${index}`, token: `y${index}`, size }),
    );
    assert.ok(small && large && middle);
    await open(
      [small, large, middle],
      withSignals([
        eventOutput({ buckets }),
        countersOutput({ real: 0, oracle: 0 }),
        ...buckets.map(({ yesToken }) =>
          priceOutput({ ...PRICE, token: yesToken, bid: 0.49, ask: 0.51, price: 0.5 }),
        ),
        predictionOutput({ buckets: [0, 1, 2].map((lo) => predictedBucket({ lo, hi: lo, prob: 0.1 })) }),
        eventOutput({ eventId: 9, endAt: NOON + 2 * DAY_MS, buckets: [] }),
      ]),
    );
    const found = await stage.rebalancings('bankroll=1000');
    assert.deepEqual(
      found.map(({ event, adjustments: list }) => [event?.id, list.map(({ adjustment }) => adjustment)]),
      [
        [1, [30, 20, 10]],
        [9, []],
      ],
    );
  });

  it('leaves out what is not in an active event of the account', async () => {
    const ofB = bucket({ conditionId: '0xbb', yesToken: 'yes-b', noToken: 'no-b', marketSlug: 'b' });
    await open(
      [
        position({ conditionId: '0xbb', token: 'yes-b', marketSlug: 'b' }),
        position({ ...NO, isRedeemable: true }),
      ],
      [...ALL, eventOutput({ ...EVENT_OF_B, buckets: [ofB] })],
    );
    assert.deepEqual(await adjustments('bankroll=1000'), []);
  });

  for (const [name, output] of [
    ['posts are stale', countersOutput({ stale: ['posts'] })],
    ['the oracle is stale', countersOutput({ stale: ['oracle'] })],
    ['our own count is unknown', countersOutput({ real: null })],
    ['there is no forecast of the bucket', predictionOutput({ buckets: [] })],
    [
      'the forecast is old',
      predictionOutput({ madeAt: NOON - 300_001, buckets: [predictedBucket({ prob: 0.35 })] }),
    ],
    ['the edge is inside the no-trade band', predictionOutput()],
  ] as const) {
    it(`asks for nothing while ${name}`, async () => {
      await open([position({ size: 10 }), position(NO)], forecasting(0.35, output));
      assert.deepEqual(await adjustments('bankroll=1000'), []);
    });
  }

  it('sells no more than somebody bids for, and buys no more than somebody offers', async () => {
    const thin = priceOutput({ ...PRICE, bidSize: 30, askSize: 50 });
    await open([position({ size: 100 })], forecasting(0.05, thin));
    const [trim] = await adjustments('bankroll=1000');
    assert.deepEqual(
      [trim?.action, trim?.adjustment, trim?.target_value, trim?.limit_price],
      ['TRIM', 6, 0, 0.19],
    );
    assert.ok(trim?.reasons.includes('nobody bids for more at the best price'));
    await stage.running.stop();
    await open([position({ size: 10 })], forecasting(0.35, thin));
    const [more] = await adjustments('bankroll=1000');
    assert.deepEqual(
      [more?.action, more?.target_value, more?.adjustment, more?.limit_price],
      ['ADD_MORE', 10.5, 8.5, 0.21],
    );
  });

  it('does not sell what is held because the book is thin', async () => {
    await open([position({ size: 100 })], forecasting(0.35, priceOutput({ ...PRICE, askSize: 10 })));
    assert.deepEqual(await adjustments('bankroll=1000'), []);
  });

  it('asks for nothing while prices are stale, those of the list too', async () => {
    await open([position({ size: 10 })], forecasting(0.35, countersOutput({ stale: ['prices'] })));
    await adjustments('bankroll=1000');
    stage.running.clock.now += 60_001;
    const [record] = await stage.rebalancings('bankroll=1000');
    assert.deepEqual([record?.adjustments, record?.stale], [[], ['prices']]);
  });

  it('says why there is nothing to do without an active event', async () => {
    await open([position()], []);
    const [record] = await stage.rebalancings('bankroll=50&threshold=7');
    assert.deepEqual(
      [record?.event, record?.adjustments, record?.bankroll, record?.threshold],
      [null, [], 50, 7],
    );
    assert.equal(record?.message, 'No event of account_a is active, so there are no positions to analyse');
  });

  it('is there for account A alone', async () => {
    await open([]);
    const response = await get(`wallet=${WALLET}&bankroll=1000`, `${PATH_B}/rebalancing`);
    assert.deepEqual([response.status, (await json(response)).code], [404, 'not_found']);
  });

  it('reports every missing parameter at once', async () => {
    await open([]);
    const response = await get('');
    assert.equal(response.status, 422);
    assert.deepEqual(await json(response), {
      detail: ['wallet', 'bankroll'].map((name) => ({
        loc: ['query', name],
        msg: 'Field required',
        type: 'missing',
      })),
    });
  });

  for (const [query, status] of [
    ['bankroll=0.99', 422],
    ['bankroll=1', 200],
    ['bankroll=1000000', 200],
    ['bankroll=1000001', 422],
    ['bankroll=10&threshold=0.99', 422],
    ['bankroll=10&threshold=1', 200],
    ['bankroll=10&threshold=100', 200],
    ['bankroll=10&threshold=100.01', 422],
    ['bankroll=10&threshold=few', 422],
  ] as const) {
    it(`answers ${query} with ${status}`, async () => {
      await open([]);
      assert.equal((await get(`wallet=${WALLET}&${query}`)).status, status);
    });
  }

  it('checks the key, then the parameters, then the wallet, then the market', async () => {
    await open([]);
    stage.market.answer = () => Promise.reject(new SourceError('SOURCE_NETWORK', 'broke off'));
    for (const key of [undefined, 'nobody', 'demo_free']) {
      const response = await stage.running.get(REBALANCING, key === undefined ? {} : { 'X-API-Key': key });
      assert.equal(response.status, 401);
    }
    assert.equal((await get('wallet=0x12&bankroll=0')).status, 422);
    const refused = await get('wallet=0x12&bankroll=10');
    assert.deepEqual([refused.status, (await json(refused)).code], [400, 'wallet_invalid']);
    const down = await get(`wallet=${WALLET}&bankroll=10`);
    assert.deepEqual([down.status, (await json(down)).code], [503, 'market_unreachable']);
    assert.ok(Number(down.headers.get('retry-after')) >= 1);
  });

  it('shares what the portfolio has asked the market', async () => {
    await open([position()]);
    await stage.get(`wallet=${WALLET}`, PATH);
    await adjustments('bankroll=10');
    await adjustments('bankroll=20&threshold=50');
    assert.equal(stage.market.asked.length, 1);
  });
});
