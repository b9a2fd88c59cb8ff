import assert from 'node:assert/strict';
import * as z from 'zod';
import { portfolioRecord } from '../src/contract/records/portfolio.ts';
import { WORLD_WALLETS } from '../src/world/world.ts';
import { sampleBot } from './sample-bot.ts';
import { eventually } from './support/eventually.ts';
import { openStage, type Stage } from './support/service.ts';

const START_AT = Date.parse('2026-11-04T15:00:00Z');
const PATIENCE_MS = 90_000;
const Rows = z.array(z.object({ asset: z.string(), size: z.number() }));

const Portfolios = z.object({ data: z.array(portfolioRecord) });

/** In a young world no horizon is proven yet, so the calls of the bot ask for unproven signals as well. */
const askUnproven: typeof fetch = (address, init) => {
  const url = new URL(String(address));
  if (url.pathname.includes('/signals/')) url.searchParams.set('include_unproven', 'true');
  return fetch(url, init);
};

describe('a bot written from the specification', function () {
  this.timeout(2 * PATIENCE_MS);
  let stage: Stage;
  let bot: ReturnType<typeof sampleBot>;
  before(async () => {
    stage = await openStage({ startAt: START_AT });
    bot = sampleBot(stage.url(), 'demo_pro', askUnproven);
  });
  after(() => stage.close());

  async function found<Order>(
    what: string,
    look: () => Promise<readonly Order[]>,
  ): Promise<readonly Order[]> {
    let orders: readonly Order[] = [];
    await eventually(`there is something to ${what}`, async () => {
      orders = await look();
      return orders.length > 0;
    });
    return orders;
  }

  it('finds something to buy, with a token that the market trades', async () => {
    const buys = await found('buy', () => bot.buys('account_a', 500));
    for (const { token, usd } of buys) {
      assert.ok(usd > 0 && usd <= 25);
      const response = await fetch(`${stage.world.addresses.book}/midpoint?token_id=${token}`);
      assert.equal(response.status, 200);
    }
  });

  it('finds the signal of a position, and sells the token of that position', async () => {
    const wallet = WORLD_WALLETS.manyPages;
    const sales = await found('sell', () => bot.sales('account_a', wallet));
    const url = `${stage.world.addresses.positions}/positions?user=${wallet}&limit=500`;
    const rows = Rows.parse(await (await fetch(url)).json());
    const held = new Map(rows.map(({ asset, size }) => [asset, size]));
    assert.deepEqual(
      sales.map(({ token, shares }) => [token, shares]),
      sales.map(({ token }) => [token, held.get(token)]),
    );
    assert.ok(sales.every(({ edge }) => edge <= -0.05));
  });

  describe('with a wallet of the demo', () => {
    const request = (wallet: string, account = 'account_a') =>
      fetch(`${stage.url()}/api/v1/portfolio/${account}?wallet=${wallet}`, {
        headers: { 'X-API-Key': 'demo_pro' },
      });
    const read = async (wallet: string, account?: string) =>
      Portfolios.parse(await (await request(wallet, account)).json()).data;
    const rows = async (wallet: string, account?: string) =>
      (await read(wallet, account)).flatMap(({ positions }) => positions);

    it('sees Yes shares in every active event', async () => {
      const portfolios = await read(WORLD_WALLETS.yesOfA);
      assert.ok(portfolios.length >= 3);
      for (const { positions } of portfolios) {
        assert.ok(positions.length > 0 && positions.every(({ outcome }) => outcome === 'Yes'));
      }
      assert.deepEqual(await rows(WORLD_WALLETS.yesOfA, 'account_b'), []);
    });

    it('sees No shares at the price of No, and a pair that can be merged', async () => {
      const held = await rows(WORLD_WALLETS.noOfA);
      const pair = held.filter(({ mergeable }) => mergeable);
      assert.deepEqual(
        pair.map(({ outcome }) => outcome),
        ['Yes', 'No'],
      );
      const [yes, no] = pair.map(({ current_price }) => current_price);
      assert.ok(Math.abs((yes ?? 0) + (no ?? 0) - 1) < 1e-9);
    });

    it('sees neither dust nor settled positions nor other kinds of market', async () => {
      const held = await rows(WORLD_WALLETS.mixed);
      assert.deepEqual(
        held.map(({ outcome, mergeable, tokens }) => [outcome, mergeable, tokens >= 1]),
        [['Yes', false, true]],
      );
      const { positions } = stage.world.addresses;
      const all = await fetch(`${positions}/positions?user=${WORLD_WALLETS.mixed}&sizeThreshold=0`);
      assert.ok(Rows.parse(await all.json()).length > 8);
    });

    it('sees the positions of account B, or none', async () => {
      assert.deepEqual(await rows(WORLD_WALLETS.onlyB), []);
      assert.ok((await rows(WORLD_WALLETS.onlyB, 'account_b')).length > 0);
      assert.deepEqual(await rows(WORLD_WALLETS.nothing), []);
    });

    it('gets 503 while the market is unreachable, and an answer when it is back', async () => {
      const wallet = `0x${'e5'.repeat(20)}`;
      stage.world.control.fault({ role: 'positions', kind: 'status', status: 502 });
      assert.equal((await request(wallet)).status, 503);
      assert.equal((await request(WORLD_WALLETS.noOfA)).status, 200);
      stage.world.control.clearFaults();
      await eventually('it is served', async () => (await request(wallet)).status === 200);
    });
  });
});
