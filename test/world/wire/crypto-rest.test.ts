import assert from 'node:assert/strict';
import { HOUR_MS } from '../../../streams/internal.ts';

import { at, openTestWorld, START_AT, type TestWorld } from '../open.ts';

describe('crypto', () => {
  let test: TestWorld;
  let url: string;
  before(async () => {
    test = await openTestWorld();
    url = `${test.world.addresses.cryptoRest}/api/v3`;
  });
  after(() => test.world.close());

  it('gives a price as a text of eight decimals', async () => {
    const { json } = await test.get(`${url}/ticker/price?symbol=ETHUSDT`);
    assert.equal(at(json, 'symbol'), 'ETHUSDT');
    assert.match(String(at(json, 'price')), /^\d+\.\d{8}$/);
  });

  it('opens an hour at the price to beat of its event', async () => {
    test.clock.at = START_AT + HOUR_MS / 2;
    const { json } = await test.get(`${url}/klines?symbol=BTCUSDT&interval=1h&startTime=${START_AT}`);
    const event = await test.get(
      `${test.world.addresses.market}/events/slug/btc-up-or-down-july-15-2026-2pm-et`,
    );
    assert.equal(Number(at(json, 0, 1)), at(event.json, 'eventMetadata', 'priceToBeat'));
    assert.equal(at(json, 0, 0), START_AT);
  });

  it('refuses a symbol it does not know', async () => {
    const { status, json } = await test.get(`${url}/ticker/price?symbol=XYZ`);
    assert.deepEqual([status, at(json, 'code')], [400, -1121]);
  });
});
