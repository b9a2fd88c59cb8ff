import assert from 'node:assert/strict';
import { RequestError, SourceError } from '../../../src/errors.ts';
import {
  createPositionRequests,
  type PositionRequests,
  REQUEST_LIMITS,
  type RequestLimits,
} from '../../../src/server/portfolio/position-requests.ts';
import type { Position } from '../../../src/sources/positions/position.ts';
import { eventually } from '../../support/eventually.ts';
import { position, type ScriptedMarket, scriptedMarket, WALLET } from '../../support/positions.ts';

const QUICK: RequestLimits = { atOnce: 2, waiting: 2, firstPauseMs: 5, maxPauseMs: 10 };
const SLOW: RequestLimits = { ...QUICK, firstPauseMs: 60_000, maxPauseMs: 60_000 };
const OTHER = `0x${'1'.repeat(40)}`;
const DOWN = new SourceError('SOURCE_TIMEOUT', 'no whole reply');

describe('createPositionRequests', () => {
  let market: ScriptedMarket;
  let requests: PositionRequests;
  const open = (limits: RequestLimits) => {
    market = scriptedMarket(position());
    requests = createPositionRequests(market, limits);
  };
  const fails = (error: Error) => {
    market.answer = () => Promise.reject(error);
  };
  const refused = async (wallet = WALLET) => {
    const error = await requests.read(wallet).catch((reason: unknown) => reason);
    assert.ok(error instanceof RequestError, String(error));
    assert.deepEqual([error.status, error.code], [503, 'market_unreachable']);
    return Number(error.headers['Retry-After']);
  };
  /** Answers by hand: each call waits until it is let go. */
  const hold = () => {
    const waiting: ((rows: readonly Position[] | Promise<never>) => void)[] = [];
    market.answer = () => new Promise((resolve) => waiting.push(resolve));
    return waiting;
  };
  afterEach(() => requests.close());

  it('returns the positions from the market', async () => {
    open(SLOW);
    assert.deepEqual(await requests.read(WALLET), [position()]);
    assert.deepEqual(market.asked, [WALLET]);
  });

  for (const error of [
    DOWN,
    new SourceError('SOURCE_NETWORK', 'broke off'),
    new SourceError('SOURCE_STATUS', 'answered 502', { status: 502 }),
    new SourceError('SOURCE_STATUS', 'answered 429', { status: 429 }),
  ]) {
    it(`refuses everyone at once after ${error.code} ${error.status ?? ''}`, async () => {
      open(SLOW);
      fails(error);
      assert.equal(await refused(), 60);
      market.answer = () => [position()];
      assert.equal(await refused(OTHER), 60);
      assert.ok(market.asked.every((asked) => asked === WALLET));
    });
  }

  for (const error of [
    new SourceError('SOURCE_REFUSED', 'a price above 1'),
    new SourceError('SOURCE_TOO_LARGE', 'too many positions'),
    new SourceError('SOURCE_NOT_JSON', 'a page'),
    new SourceError('SOURCE_STATUS', 'answered 404', { status: 404 }),
  ]) {
    it(`refuses one wallet and still asks for others after ${error.code}`, async () => {
      open(SLOW);
      fails(error);
      assert.equal(await refused(), 1);
      market.answer = () => [position()];
      assert.equal((await requests.read(OTHER)).length, 1);
    });
  }

  it('asks once more over a connection that broke, and nobody notices', async () => {
    open(SLOW);
    market.answer = () => {
      market.answer = () => [position()];
      return Promise.reject(new SourceError('SOURCE_NETWORK', 'broke off'));
    };
    assert.deepEqual(await requests.read(WALLET), [position()]);
    assert.deepEqual(market.asked, [WALLET, WALLET]);
  });

  it('does not take a wallet the market is slow with for an outage', async () => {
    open(SLOW);
    const [slow, quick] = [requests, hold()];
    const first = refused();
    const second = slow.read(OTHER);
    await eventually('both are asked', () => quick.length === 2);
    quick[1]?.([]);
    await second;
    quick[0]?.(Promise.reject(DOWN));
    await first;
    market.answer = () => [position()];
    assert.equal((await requests.read(WALLET)).length, 1);
  });

  it('probes in the background, with the last wallet, until the market answers', async () => {
    open(QUICK);
    fails(DOWN);
    await refused();
    await refused(OTHER);
    await eventually('it was tried again and again', () => market.asked.length > 3);
    assert.ok(market.asked.slice(1).every((asked) => asked === OTHER));
    market.answer = () => [position()];
    await eventually('the market is asked again', () =>
      requests.read(WALLET).then(
        () => true,
        () => false,
      ),
    );
  });

  it('retries no sooner than the market asks, and after a minute at the latest', async () => {
    for (const [retryAfterMs, seconds] of [
      [7_000, 7],
      [3_600_000, 60],
    ] as const) {
      open(QUICK);
      fails(new SourceError('SOURCE_STATUS', 'answered 429', { status: 429, retryAfterMs }));
      assert.equal(await refused(), seconds);
      requests.close();
    }
  });

  it('asks about a few wallets at once, lets a few wait, and refuses the rest', async () => {
    open(SLOW);
    const waiting = hold();
    const reads = [1, 2, 3, 4].map((index) => requests.read(`0x${String(index).padStart(40, '0')}`));
    assert.equal(await refused(), 1);
    await eventually('two are asked', () => waiting.length === 2);
    assert.equal(market.asked.length, 2);
    for (let index = 0; index < 4; index++) {
      await eventually('the next is asked', () => waiting.length > index);
      assert.ok(market.asked.length <= index + 2);
      waiting[index]?.([position()]);
    }
    assert.equal((await Promise.all(reads)).length, 4);
    assert.equal(market.asked.length, 4);
  });

  it('has room for 200 wallets at once', async () => {
    open(REQUEST_LIMITS);
    const waiting = hold();
    const reads = Array.from({ length: 200 }, (_, index) =>
      requests.read(`0x${String(index).padStart(40, '0')}`),
    );
    await eventually('all are asked', () => waiting.length === 200);
    for (const tell of waiting) tell([]);
    await Promise.all(reads);
  });

  it('lets nobody wait for a market that has just failed', async () => {
    open(SLOW);
    const waiting = hold();
    const reads = [refused(), refused(), refused(), refused()];
    await eventually('two are asked', () => waiting.length === 2);
    waiting[0]?.(Promise.reject(DOWN));
    await Promise.all([reads[0], reads[2], reads[3]]);
    assert.equal(market.asked.length, 2);
    waiting[1]?.(Promise.reject(DOWN));
    await reads[1];
  });

  it('is open again when a question of before the outage is answered', async () => {
    open(SLOW);
    const waiting = hold();
    const [first, second] = [refused(), requests.read(OTHER)];
    await eventually('both are asked', () => waiting.length === 2);
    waiting[0]?.(Promise.reject(DOWN));
    await first;
    waiting[1]?.([]);
    await second;
    market.answer = () => [position()];
    assert.equal((await requests.read(WALLET)).length, 1);
  });

  it('passes on a bug of ours as it is', async () => {
    open(SLOW);
    fails(new RangeError('not a wallet address'));
    await assert.rejects(requests.read(WALLET), RangeError);
    market.answer = () => [];
    assert.deepEqual(await requests.read(WALLET), []);
  });
});
