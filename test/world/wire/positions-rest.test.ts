import assert from 'node:assert/strict';
import { WORLD_WALLETS } from '../../../src/world/world.ts';
import { at, type Json, list, openTestWorld, type TestWorld } from '../open.ts';

describe('positions', () => {
  let test: TestWorld;
  let url: string;
  before(async () => {
    test = await openTestWorld();
    url = `${test.world.addresses.positions}/positions`;
  });
  after(() => test.world.close());

  async function rows(wallet: string, query = ''): Promise<readonly Json[]> {
    return list((await test.get(`${url}?user=${wallet}${query}`)).json);
  }

  it('wants a wallet', async () => {
    const { status, json } = await test.get(url);
    assert.deepEqual([status, json], [400, { error: "required query param 'user' not provided" }]);
    assert.equal((await test.get(`${url}?user=0x12`)).status, 400);
  });

  it('gives an unknown wallet and an empty one nothing', async () => {
    assert.deepEqual(await rows(`0x${'ff'.repeat(20)}`), []);
    assert.deepEqual(await rows(WORLD_WALLETS.nothing), []);
  });

  it('writes numbers as numbers and adds them up', async () => {
    const found = await rows(WORLD_WALLETS.yesOfA);
    assert.ok(found.length >= 8);
    assert.ok(new Set(found.map((row) => row.eventSlug)).size >= 4);
    for (const row of found) {
      assert.equal(row.outcome, 'Yes');
      assert.equal(typeof row.eventId, 'string');
      const [size, price] = [Number(row.size), Number(row.curPrice)];
      assert.ok(Math.abs(Number(row.currentValue) - size * price) < 1e-3);
      assert.ok(Math.abs(Number(row.cashPnl) - (Number(row.currentValue) - Number(row.initialValue))) < 1e-3);
    }
    const sizes = found.map((row) => Number(row.size));
    assert.deepEqual(
      sizes,
      [...sizes].sort((left, right) => right - left),
    );
  });

  it('prices a No position by the No token', async () => {
    const no = (await rows(WORLD_WALLETS.noOfA)).find((row) => row.outcome === 'No');
    assert.equal(no?.outcomeIndex, 1);
    const { json } = await test.get(`${test.world.addresses.book}/midpoint?token_id=${no?.asset}`);
    assert.equal(no?.curPrice, Number(at(json, 'mid')));
  });

  it('lets a pair of both sides be merged, and nothing else', async () => {
    const found = await rows(WORLD_WALLETS.noOfA);
    const pair = found.filter((row) => row.mergeable === true);
    assert.deepEqual(pair.map((row) => row.outcome).sort(), ['No', 'Yes']);
    assert.equal(new Set(pair.map((row) => row.conditionId)).size, 1);
    assert.ok(found.length > pair.length);
    assert.ok((await rows(WORLD_WALLETS.mixed)).every((row) => row.mergeable === false));
  });

  it('holds only events of B in the wallet made for that', async () => {
    const found = await rows(WORLD_WALLETS.onlyB);
    assert.ok(found.length >= 3 && found.every((row) => String(row.eventSlug).startsWith('account-b')));
  });

  it('hides dust under the threshold and shows it without one', async () => {
    assert.ok((await rows(WORLD_WALLETS.mixed)).every((row) => Number(row.size) >= 1));
    const all = await rows(WORLD_WALLETS.mixed, '&sizeThreshold=0');
    assert.ok(
      all.some((row) => row.size === 0) && all.some((row) => Number(row.size) > 0 && Number(row.size) < 1),
    );
    assert.ok(all.some((row) => row.redeemable === true && row.curPrice === 1));
    assert.ok(all.some((row) => row.redeemable === true && row.curPrice === 0));
    assert.ok(all.some((row) => row.outcome === 'Up'));
    assert.ok((await rows(WORLD_WALLETS.mixed, '&redeemable=true')).every((row) => row.redeemable === true));
  });

  it('pages by offset', async () => {
    const pages: Json[] = [];
    for (let offset = 0; ; offset += 100) {
      const page = await rows(WORLD_WALLETS.manyPages, `&offset=${offset}`);
      pages.push(...page);
      if (page.length < 100) break;
    }
    assert.ok(pages.length > 200);
    assert.equal(new Set(pages.map((row) => row.asset)).size, pages.length);
    assert.equal((await test.get(`${url}?user=${WORLD_WALLETS.manyPages}&limit=501`)).status, 400);
  });

  it('sums a wallet up', async () => {
    const { json } = await test.get(`${test.world.addresses.positions}/value?user=${WORLD_WALLETS.onlyB}`);
    assert.ok(Number(at(json, 0, 'value')) > 0);
  });
});
