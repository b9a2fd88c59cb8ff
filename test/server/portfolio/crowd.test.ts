import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { eventually } from '../../support/eventually.ts';
import { ANSWERED } from '../../support/scripted-server.ts';
import { openWalletCrowd, type WalletCrowd, walletsFrom } from './wallet-crowd.ts';

/** As many as may be asked about at once. */
const AT_ONCE = 200;
const WALLETS = 250;
const ASKED_TWICE = 50;

describe('many wallets', function () {
  this.timeout(120_000);
  let crowd: WalletCrowd;
  afterEach(() => crowd.close());

  it('are all answered, each asked about once, and a bounded number at a time', async () => {
    crowd = await openWalletCrowd(60_000);
    const open = new Set<ServerResponse>();
    let mostOpen = 0;
    let isHolding = true;
    const release = (response: ServerResponse) => {
      open.delete(response);
      response.end('[]');
    };
    crowd.market.answer((_, response) => {
      open.add(response);
      mostOpen = Math.max(mostOpen, open.size);
      if (!isHolding) setImmediate(release, response);
      return ANSWERED;
    });
    const wallets = walletsFrom(0, WALLETS);
    const answers = Promise.all([...wallets, ...wallets.slice(0, ASKED_TWICE)].map(crowd.ask));
    await eventually('the market is asked about as many as allowed', () => open.size === AT_ONCE);
    isHolding = false;
    for (const response of open) release(response);
    assert.deepEqual([...new Set(await answers)], [200]);
    assert.equal(mostOpen, AT_ONCE);
    const asked = crowd.market.requests.map(({ query }) => query.get('user'));
    assert.deepEqual([asked.length, new Set(asked).size], [WALLETS, WALLETS]);
  });

  it('are refused without a call each while the market hangs, and nobody else notices', async () => {
    crowd = await openWalletCrowd(200);
    crowd.market.answer(() => ANSWERED);
    for (const wallet of walletsFrom(0, 100)) {
      assert.equal(await crowd.ask(wallet), 503);
      assert.equal(await crowd.get('/api/v1/meta/account_a'), 200);
    }
    // Only the first, and the probes, which come ever more seldom.
    assert.ok(crowd.market.requests.length < 50, `${crowd.market.requests.length} calls`);
  });

  it('are refused when the market takes no connections', async () => {
    crowd = await openWalletCrowd(2_000);
    await crowd.market.close();
    const answers = await Promise.all(walletsFrom(0, 50).map(crowd.ask));
    assert.ok(answers.every((status) => status === 503));
  });
});
