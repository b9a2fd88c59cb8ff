import assert from 'node:assert/strict';
import { createWallets } from '../../../src/server/portfolio/wallets.ts';
import { MINUTE_MS } from '../../../streams/internal.ts';
import { position, scriptedMarket, WALLET } from '../../support/positions.ts';

const wallet = (index: number) => `0x${String(index).padStart(40, '0')}`;

function open(limits = { keepMs: 5 * MINUTE_MS, wallets: 3, positions: 100 }) {
  const market = scriptedMarket(position(), position({ isRedeemable: true }), position({ size: 0.1 }));
  const clock = { now: 1_000_000 };
  const wallets = createWallets({ read: market.of, now: () => clock.now, limits });
  return { market, clock, wallets };
}

describe('createWallets', () => {
  it('keeps open positions, with the time of the request', async () => {
    const { market, clock, wallets } = open();
    market.answer = async () => {
      clock.now += 400;
      return [position(), position({ isRedeemable: true })];
    };
    const { positions, readAt } = await wallets.of(WALLET);
    assert.deepEqual([positions.length, readAt], [1, 1_000_000]);
  });

  it('asks again after five minutes and not a millisecond before', async () => {
    const { market, clock, wallets } = open();
    await wallets.of(WALLET);
    clock.now += 5 * MINUTE_MS - 1;
    await wallets.of(WALLET);
    assert.equal(market.asked.length, 1);
    clock.now += 1;
    await wallets.of(WALLET);
    assert.equal(market.asked.length, 2);
  });

  it('does not let use lengthen the five minutes', async () => {
    const { market, clock, wallets } = open();
    for (let minute = 0; minute < 5; minute++) {
      await wallets.of(WALLET);
      clock.now += MINUTE_MS;
    }
    await wallets.of(WALLET);
    assert.equal(market.asked.length, 2);
  });

  it('asks again when the clock was set back', async () => {
    const { market, clock, wallets } = open();
    await wallets.of(WALLET);
    clock.now -= 1;
    await wallets.of(WALLET);
    assert.equal(market.asked.length, 2);
  });

  it('shares one reading among all who ask meanwhile, whatever the case of their letters', async () => {
    const { market, wallets } = open();
    const answers = await Promise.all([WALLET, WALLET.toLowerCase(), WALLET].map(wallets.of));
    assert.equal(market.asked.length, 1);
    assert.ok(answers.every((each) => each === answers[0]));
  });

  it('rejects all who wait for a failed reading, and caches nothing', async () => {
    const { market, wallets } = open();
    const failure = new Error('down');
    market.answer = () => Promise.reject(failure);
    const results = await Promise.allSettled([wallets.of(WALLET), wallets.of(WALLET)]);
    assert.ok(results.every((result) => result.status === 'rejected' && result.reason === failure));
    market.answer = () => [position()];
    assert.equal((await wallets.of(WALLET)).positions.length, 1);
    assert.equal(market.asked.length, 2);
  });

  it('forgets the wallet that was longest unused when there are too many', async () => {
    const { market, wallets } = open();
    for (const index of [1, 2, 3, 1, 4]) await wallets.of(wallet(index));
    market.asked.length = 0;
    for (const index of [3, 1, 4]) await wallets.of(wallet(index));
    assert.deepEqual(market.asked, []);
    await wallets.of(wallet(2));
    assert.deepEqual(market.asked, [wallet(2)]);
  });

  it('forgets wallets when they hold too much together', async () => {
    const { market, wallets } = open({ keepMs: MINUTE_MS, wallets: 100, positions: 10 });
    market.answer = () => Array.from({ length: 4 }, () => position());
    for (const index of [1, 2, 3]) await wallets.of(wallet(index));
    market.asked.length = 0;
    for (const index of [3, 2]) await wallets.of(wallet(index));
    assert.deepEqual(market.asked, []);
    await wallets.of(wallet(1));
    assert.deepEqual(market.asked, [wallet(1)]);
  });
});
