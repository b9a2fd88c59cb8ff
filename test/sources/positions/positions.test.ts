import assert from 'node:assert/strict';
import type { HeldMarket } from '../../../src/sources/positions/position.ts';
import { createPositions } from '../../../src/sources/positions/positions.ts';
import { localEndpoints } from '../../support/endpoints.ts';
import { wirePosition } from '../../support/payloads.ts';
import { ANSWERED, openScriptedServer, type ScriptedServer } from '../../support/scripted-server.ts';

const WALLET = `0x${'aB'.repeat(20)}`;

describe('createPositions', () => {
  let server: ScriptedServer;
  const refusals: string[] = [];
  beforeEach(async () => {
    server = await openScriptedServer();
    refusals.length = 0;
  });
  afterEach(() => server.close());

  const read = (wallet = WALLET, isFollowed?: (market: HeldMarket) => boolean) =>
    createPositions(localEndpoints(server), {
      refused: (reason) => refusals.push(reason),
      timeoutMs: 10_000,
      ...(isFollowed && { isFollowed }),
    }).of(wallet);

  it('gives a position in our words', async () => {
    server.answer(() => [
      wirePosition(WALLET.toLowerCase(), 1, { eventId: undefined, oppositeAsset: '', redeemable: true }),
    ]);
    assert.deepEqual(await read(), [
      {
        wallet: WALLET,
        token: '1001',
        oppositeToken: null,
        conditionId: `0x${'1'.padStart(64, '0')}`,
        eventId: null,
        eventSlug: 'account-a-of-posts-april-3-april-10',
        marketSlug: 'account-a-of-posts-april-3-april-10-240-259',
        outcome: 'Yes',
        size: 150.5,
        avgPrice: 0.55,
        costBasis: 82.775,
        currentPrice: 0.6,
        currentValue: 90.3,
        isRedeemable: true,
        isMergeable: false,
      },
    ]);
  });

  it('reads pages until a short one', async () => {
    const all = Array.from({ length: 250 }, (_, index) => wirePosition(WALLET, index));
    server.answer(({ query }) => {
      const from = Number(query.get('offset'));
      return all.slice(from, from + Number(query.get('limit')));
    });
    assert.equal((await read()).length, 250);
    assert.deepEqual(
      server.requests.map(({ query }) => query.get('offset')),
      ['0', '100', '200'],
    );
    assert.equal(server.requests[0]?.query.get('sizeThreshold'), '0');
  });

  it('gives up on a wallet whose pages never end', async () => {
    server.answer(() => Array.from({ length: 100 }, (_, index) => wirePosition(WALLET, index)));
    await assert.rejects(read(), { code: 'SOURCE_TOO_LARGE' });
    assert.equal(server.requests.length, 100);
  });

  for (const wallet of ['', '0x12', `${WALLET}0`, `0x${'g'.repeat(40)}`, `${WALLET}&user=x`]) {
    it(`sends no request for ${JSON.stringify(wallet)}`, async () => {
      await assert.rejects(read(wallet), RangeError);
      assert.equal(server.requests.length, 0);
    });
  }

  for (const [name, extra] of [
    ['a price above 1', { curPrice: 1.5 }],
    ['a negative size', { size: -1 }],
    ['a size in text', { size: '5' }],
    ['a token that is a number', { asset: 7 }],
    ['another wallet', { proxyWallet: `0x${'1'.repeat(40)}` }],
  ] as const) {
    it(`refuses the list for ${name}`, async () => {
      server.answer(() => [wirePosition(WALLET, 1), wirePosition(WALLET, 2, extra)]);
      await assert.rejects(read(), { code: 'SOURCE_REFUSED' });
      assert.equal(refusals.length, 1);
    });
  }

  describe('with a row that cannot be read', () => {
    const odd = { curPrice: 1.0000001 };
    const followed = wirePosition(WALLET, 1);

    it('leaves it out when it is in a market that nobody follows, and reads the pages after it', async () => {
      const all = Array.from({ length: 120 }, (_, index) =>
        wirePosition(WALLET, index, index === 7 ? odd : {}),
      );
      server.answer(({ query }) => all.slice(Number(query.get('offset'))).slice(0, 100));
      const held = await read(WALLET, ({ token }) => token === followed.asset);
      assert.equal(held.length, 119);
      assert.deepEqual(refusals, []);
      assert.equal(server.requests.length, 2);
    });

    for (const [name, names] of [
      ['token', ({ token }: HeldMarket) => token === followed.asset],
      ['condition', ({ conditionId }: HeldMarket) => conditionId === followed.conditionId],
      ['slug', ({ marketSlug }: HeldMarket) => marketSlug === followed.slug],
    ] as const) {
      it(`refuses the list when the market is followed by its ${name}, and names it`, async () => {
        server.answer(() => [wirePosition(WALLET, 2), { ...followed, ...odd }]);
        await assert.rejects(read(WALLET, names), { code: 'SOURCE_REFUSED' });
        assert.match(
          refusals.join(),
          /a position in account-a-of-posts-april-3-april-10-240-259 has curPrice/,
        );
      });
    }

    for (const row of [null, 7, [], {}, { asset: 7, conditionId: null }]) {
      it(`refuses the list for ${JSON.stringify(row)}, which may be in any market`, async () => {
        server.answer(() => [wirePosition(WALLET, 2), row]);
        await assert.rejects(
          read(WALLET, () => false),
          { code: 'SOURCE_REFUSED' },
        );
        assert.equal(refusals.length, 1);
      });
    }
  });

  it('waits five seconds for a market that is slow, and no longer', async () => {
    server.answer(() => ANSWERED);
    await assert.rejects(createPositions(localEndpoints(server)).of(WALLET), {
      code: 'SOURCE_TIMEOUT',
      message: 'no whole reply from /positions in 5000 ms',
    });
  });

  it('fails when the market does', async () => {
    server.answer((_, response) => {
      response.statusCode = 503;
      return {};
    });
    await assert.rejects(read(), { code: 'SOURCE_STATUS', status: 503 });
  });
});
