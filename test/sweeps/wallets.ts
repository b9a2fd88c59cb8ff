import assert from 'node:assert/strict';
import { openWalletCrowd, walletsFrom } from '../server/portfolio/wallet-crowd.ts';
import { ANSWERED } from '../support/scripted-server.ts';
import { p99 } from './hostile.ts';

export const MARKET_MS = 300;
const ROUNDS = 3;

/** Per round, p99 of the answers about wallets that are new to the server, and of calls to the market itself. */
interface AnsweredWallets {
  readonly p99Ms: number;
  readonly marketP99Ms: number;
}

/** Asks about so many new wallets at once, of a market that takes 300 ms. Each is asked about once. */
export async function sweepNewWallets(wallets: number): Promise<readonly AnsweredWallets[]> {
  const { market, ask, close } = await openWalletCrowd(10_000);
  market.answer((_, response) => {
    setTimeout(() => response.end('[]'), MARKET_MS);
    return ANSWERED;
  });
  // Connections to the market are made once.
  await Promise.all(walletsFrom(0, 20).map(ask));
  const rounds: AnsweredWallets[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const fresh = walletsFrom(round * 1_000_000, wallets);
    const alone = await Promise.all(
      fresh.map(() => timed(async () => void (await fetch(`${market.url}/alone`)))),
    );
    const before = market.requests.length;
    const times = await Promise.all(
      fresh.map((wallet) => timed(async () => assert.equal(await ask(wallet), 200))),
    );
    assert.equal(market.requests.length - before, wallets);
    rounds.push({ p99Ms: p99(times), marketP99Ms: p99(alone) });
  }
  await close();
  return rounds;
}

/** p99 of refusals while the market hangs, and of other calls meanwhile. */
interface RefusedWallets {
  readonly p99Ms: number;
  readonly othersP99Ms: number;
}

export async function sweepHangingMarket(wallets: number): Promise<RefusedWallets> {
  const { market, ask, get, close } = await openWalletCrowd(200);
  market.answer(() => ANSWERED);
  const [first = '', ...rest] = walletsFrom(0, wallets + 1);
  assert.equal(await ask(first), 503);
  const refused: number[] = [];
  const others: number[] = [];
  for (const wallet of rest) {
    refused.push(await timed(async () => assert.equal(await ask(wallet), 503)));
    others.push(await timed(async () => assert.equal(await get('/api/v1/meta/account_a'), 200)));
  }
  await close();
  return { p99Ms: p99(refused), othersP99Ms: p99(others) };
}

async function timed(call: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await call();
  return performance.now() - startedMs;
}
