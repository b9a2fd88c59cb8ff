import assert from 'node:assert/strict';
import { SourceError } from '../../src/errors.ts';
import { eventOutput } from '../support/outputs.ts';
import { json, type Running, start } from './start.ts';

const WALLET = `0x${'a'.repeat(40)}`;
const PRO = { 'X-API-Key': 'demo_pro' };
const INTERNAL = { 'X-API-Key': 'demo_internal' };

/** The portfolio endpoints with what else they require. */
const PORTFOLIO: readonly (readonly [path: string, rest: string])[] = [
  ['/api/v1/portfolio/account_a', ''],
  ['/api/v1/portfolio/account_b', ''],
  ['/api/v1/portfolio/account_a/rebalancing', '&bankroll=1000'],
];

/** One value out of the bounds of spec 8 each, and where the fault is. */
const OUT_OF_BOUNDS: readonly (readonly [path: string, field: string])[] = [
  ['/api/v1/meta/account_a/tweets?limit=0', 'limit'],
  ['/api/v1/meta/account_a/tweets?limit=101', 'limit'],
  ['/api/v1/meta/account_b/tweets?offset=-1', 'offset'],
  ['/api/v1/signals/account_a?bankroll=0.99', 'bankroll'],
  ['/api/v1/signals/account_b?bankroll=1000000.01', 'bankroll'],
  ['/api/v1/signals/account_a?only_with_signals=maybe', 'only_with_signals'],
  [`/api/v1/portfolio/account_a?wallet=${WALLET}&bankroll=0`, 'bankroll'],
  ['/api/v1/portfolio/account_a', 'wallet'],
  ['/api/v1/portfolio/account_b', 'wallet'],
  [`/api/v1/portfolio/account_a/rebalancing?wallet=${WALLET}`, 'bankroll'],
  [`/api/v1/portfolio/account_a/rebalancing?wallet=${WALLET}&bankroll=5&threshold=0`, 'threshold'],
  [`/api/v1/portfolio/account_a/rebalancing?wallet=${WALLET}&bankroll=5&threshold=101`, 'threshold'],
  ['/api/v1/performance/history?horizon=25', 'horizon'],
  ['/api/v1/performance/history?days=x', 'days'],
  ['/api/v1/performance/calibration?account=nobody', 'account'],
  ['/api/v1/usage/summary?days=0', 'days'],
  ['/api/v1/usage/summary?days=91', 'days'],
  ['/api/v1/usage/by-endpoint?start=1', 'end'],
  ['/api/v1/usage/errors?limit=1001', 'limit'],
];

describe('errors of the specification', () => {
  let running: Running;
  let isMarketUp = true;
  before(async () => {
    const of = async () => {
      if (!isMarketUp) throw new SourceError('SOURCE_TIMEOUT', 'no reply');
      return [];
    };
    const loaded = ['a', 'b'].map((account, index) =>
      eventOutput({ eventId: index + 1, subject: { type: 'posts', account } }),
    );
    running = await start({ loaded, deps: { positions: { of } } });
  });
  after(() => running.stop());

  for (const [path, rest] of PORTFOLIO) {
    it(`answers ${path} with 400, 401 and 503 where it has to`, async () => {
      const codeOf = async (query: string, headers: Record<string, string>) => {
        const response = await running.get(path + query, headers);
        const { detail, code } = await json(response);
        assert.equal(typeof detail, 'string');
        return [response.status, code];
      };
      for (const wallet of ['x', '0x1', `${WALLET}0`, WALLET.slice(2), '']) {
        assert.deepEqual(await codeOf(`?wallet=${wallet}${rest}`, PRO), [400, 'wallet_invalid'], wallet);
      }
      assert.deepEqual(await codeOf(`?wallet=${WALLET}${rest}`, {}), [401, 'key_missing']);
      assert.deepEqual(await codeOf(`?wallet=${WALLET}${rest}`, { 'X-API-Key': 'no' }), [401, 'key_invalid']);
      isMarketUp = false;
      try {
        const other = WALLET.replace('aaaa', 'bbbb');
        assert.deepEqual(await codeOf(`?wallet=${other}${rest}`, PRO), [503, 'market_unreachable']);
      } finally {
        isMarketUp = true;
      }
    });
  }

  for (const [path, field] of OUT_OF_BOUNDS) {
    it(`answers ${path} with 422 for ${field}, and nothing but its faults`, async () => {
      const response = await running.get(path, INTERNAL);
      assert.equal(response.status, 422);
      const { detail, ...rest } = await json(response);
      assert.deepEqual(rest, {});
      assert.ok(Array.isArray(detail) && detail.length === 1);
      const [fault] = detail;
      assert.deepEqual(Object.keys(fault).sort(), ['loc', 'msg', 'type']);
      assert.deepEqual(fault.loc, ['query', field]);
    });
  }

  it('answers a waitlist request that breaks its rules with 422', async () => {
    const response = await fetch(`${running.url}/api/v1/waitlist`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ type: 'agent', case: 'x'.repeat(501), name: 'a!', wallet: '0x1' }),
    });
    const { detail } = await json(response);
    assert.ok(Array.isArray(detail));
    assert.deepEqual([response.status, detail.map(({ loc }) => loc[1])], [422, ['case', 'name', 'wallet']]);
  });
});
