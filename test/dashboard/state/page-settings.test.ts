import assert from 'node:assert/strict';
import { marketPageOf, readSettings } from '../../../src/dashboard/state/page-settings.ts';

describe('the settings of the page', () => {
  it('are read from its attributes', () => {
    const settings = readSettings({
      accounts: '[{"account":"one","name":"One","sizing":true}]',
      feed: 'off',
      demoKey: 'demo_pro',
      marketPages: encodeURIComponent('https://market.invalid/event'),
    });
    assert.equal(settings.accounts[0]?.name, 'One');
    assert.equal(settings.hasFeed, false);
    assert.equal(settings.demoWallet, undefined);
    assert.equal(marketPageOf(settings, 'a-b'), 'https://market.invalid/event/a-b');
  });

  it('name no page of the market where the server knows none', () => {
    assert.equal(marketPageOf(readSettings({}), 'a-b'), undefined);
  });
});
