import assert from 'node:assert/strict';
import { SourceError } from '../../../src/errors.ts';
import { checkedFetch } from '../../support/answer-check.ts';
import { eventOutput, NOON, predictedBucket, predictionOutput } from '../../support/outputs.ts';
import { position, WALLET } from '../../support/positions.ts';
import { PATH, PATH_B, PRO, type WalletStage, walletStage } from '../portfolio/stage.ts';
import { json } from '../start.ts';

describe('GET /portfolio/{account}, its failures', () => {
  let stage: WalletStage;
  const open = async (...setting: Parameters<typeof walletStage>) => {
    stage = await walletStage(...setting);
  };
  afterEach(() => stage.running.stop());

  describe('checks', () => {
    for (const path of [PATH, PATH_B]) {
      it(`wants a PRO key before anything else of ${path}`, async () => {
        await open([]);
        for (const [key, code] of [
          [undefined, 'key_missing'],
          ['nobody', 'key_invalid'],
          ['demo_free', 'tier_too_low'],
        ] as const) {
          const response = await stage.running.get(path, key === undefined ? {} : { 'X-API-Key': key });
          assert.deepEqual([response.status, (await json(response)).code], [401, code]);
        }
        assert.equal(
          (await stage.running.get(`${path}?wallet=${WALLET}`, { 'X-API-Key': 'demo_internal' })).status,
          200,
        );
      });

      it(`wants a wallet for ${path}`, async () => {
        await open([]);
        const response = await stage.get('', path);
        assert.equal(response.status, 422);
        assert.deepEqual(await json(response), {
          detail: [{ loc: ['query', 'wallet'], msg: 'Field required', type: 'missing' }],
        });
      });

      for (const wallet of [
        '',
        '0x12',
        WALLET.slice(2),
        `${WALLET}0`,
        `0x${'g'.repeat(40)}`,
        `${WALLET}%0A`,
      ]) {
        it(`refuses the wallet ${JSON.stringify(wallet)} for ${path}`, async () => {
          await open([]);
          const response = await stage.get(`wallet=${wallet}`, path);
          assert.deepEqual([response.status, (await json(response)).code], [400, 'wallet_invalid']);
          assert.deepEqual(stage.market.asked, []);
        });
      }
    }

    for (const [bankroll, status] of [
      ['0.99', 422],
      ['1', 200],
      ['1000000', 200],
      ['1000000.01', 422],
      ['much', 422],
    ] as const) {
      it(`answers a bankroll of ${bankroll} with ${status}`, async () => {
        await open([]);
        assert.equal((await stage.get(`wallet=${WALLET}&bankroll=${bankroll}`)).status, status);
      });
    }

    it('reports invalid parameters before a bad wallet, and a bad wallet before an unreachable market', async () => {
      await open([]);
      stage.market.answer = () => Promise.reject(new SourceError('SOURCE_NETWORK', 'broke off'));
      assert.equal((await stage.get('wallet=0x12&bankroll=0')).status, 422);
      assert.equal((await stage.get('wallet=0x12')).status, 400);
      assert.equal((await stage.get()).status, 503);
    });

    it('has a path for GET alone', async () => {
      await open([]);
      const response = await checkedFetch(`${stage.running.url}${PATH}?wallet=${WALLET}`, {
        method: 'POST',
        headers: PRO,
      });
      assert.deepEqual([response.status, response.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
    });
  });

  describe('the market', () => {
    const fail = (code = 'SOURCE_NETWORK') => {
      stage.market.answer = () => Promise.reject(new SourceError(code, 'broke off'));
    };

    it('is asked once in five minutes, whatever the parameters', async () => {
      await open([position()]);
      for (const query of ['', '&bankroll=10', '&bankroll=1000'])
        await stage.rows(`wallet=${WALLET}${query}`);
      stage.running.clock.now += 299_999;
      const [record] = await stage.records();
      assert.deepEqual([stage.market.asked.length, record?.positions_ts], [1, NOON]);
      stage.running.clock.now += 1;
      assert.equal((await stage.records())[0]?.positions_ts, NOON + 300_000);
      assert.equal(stage.market.asked.length, 2);
    });

    it('is not asked again for a new forecast, which shows at once', async () => {
      await open([position()]);
      await stage.rows();
      stage.running.put(
        predictionOutput({ forecastId: '1-30', buckets: [predictedBucket({ prob: 0.5 })] }, { seq: 30 }),
      );
      const { data } = await json(await stage.get());
      assert.ok(Array.isArray(data));
      assert.equal(data[0].prediction.forecast_id, '1-30');
      assert.equal(data[0].positions[0].analysis.win_probability, 0.5);
      assert.equal(data[0].as_of.seq, 30);
      assert.equal(stage.market.asked.length, 1);
    });

    for (const code of [
      'SOURCE_TIMEOUT',
      'SOURCE_NETWORK',
      'SOURCE_STATUS',
      'SOURCE_REFUSED',
      'SOURCE_NOT_JSON',
    ]) {
      it(`is reported as unreachable after ${code}, with a time to try again`, async () => {
        await open([]);
        fail(code);
        const response = await stage.get();
        assert.equal(response.status, 503);
        assert.ok(Number(response.headers.get('retry-after')) >= 1);
        assert.equal(response.headers.get('cache-control'), 'no-store');
        assert.deepEqual(await json(response), {
          detail: 'The market could not be asked for the positions',
          code: 'market_unreachable',
        });
      });
    }

    it('may be down while an answer of the last five minutes is there', async () => {
      await open([position()]);
      await stage.rows();
      fail('SOURCE_REFUSED');
      stage.running.clock.now += 299_999;
      assert.equal((await stage.rows()).length, 1);
      stage.running.clock.now += 1;
      assert.equal((await stage.get()).status, 503);
    });

    it('is asked again after a failure, which is not cached', async () => {
      await open([position()]);
      const { answer } = stage.market;
      fail('SOURCE_REFUSED');
      assert.equal((await stage.get()).status, 503);
      stage.market.answer = answer;
      assert.equal((await stage.rows()).length, 1);
    });

    it('may end an event while it thinks', async () => {
      await open([]);
      stage.market.answer = () => {
        stage.running.put(eventOutput({ phase: 'ended' }, { seq: 40 }));
        return [position()];
      };
      const [record] = await stage.records();
      assert.deepEqual([record?.event, record?.positions.length], [null, 0]);
      assert.ok(record?.message);
    });

    it('leaves a bug of ours a 500', async () => {
      await open([]);
      stage.market.answer = () => {
        throw new TypeError('a bug');
      };
      let reported: unknown;
      stage.running.app.on('error', (error: unknown) => {
        reported = error;
      });
      assert.equal((await stage.get()).status, 500);
      assert.ok(reported instanceof TypeError);
    });
  });
});
