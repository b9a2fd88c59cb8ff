import assert from 'node:assert/strict';
import { openTestBrowser, requireBrowser } from '../dashboard/test-browser.ts';
import { withSeed } from '../support/with-seed.ts';
import { sweepAccounts } from './accounts.ts';

/** One more than are shown together. */
const ACCOUNTS = 5;

describe('a service that follows several accounts', () => {
  it('serves everything for each, and the first two as if there were no others', async function () {
    this.timeout(1_800_000);
    requireBrowser(this);
    const browser = await openTestBrowser();
    try {
      const sample = { accounts: ACCOUNTS, historyDays: 9, browser, report: () => {} };
      const figures = await withSeed((seed) => sweepAccounts({ ...sample, seed }));
      assert.equal(figures.sections, 4 * ACCOUNTS);
      assert.ok(figures.channels >= 7 * ACCOUNTS && figures.outputs > 0 && figures.facts > 0);
    } finally {
      await browser.close();
    }
  });
});
