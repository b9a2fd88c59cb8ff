import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { unlock } from '../dashboard/test-browser.ts';
import { eventually } from '../support/eventually.ts';

/** Shows every section of the page for every account that can be chosen on it. */

export interface ShownSection {
  readonly section: string;
  readonly account: string;
}

/** What stands in the place of content that did not come. */
const MISSING = '.loading, :text("Not answered"), :text("needs a PRO key"), :text("need a PRO key")';

/** The sections that were filled, one after the other. Throws when one is not. */
export async function showEverything(page: Page, url: string, key: string): Promise<readonly ShownSection[]> {
  await page.goto(url);
  await unlock(page, key);
  await page.waitForSelector('.picker select');
  const accounts = await page.evaluate<readonly { readonly account: string; readonly name: string }[]>(
    "Array.from(document.querySelectorAll('.picker option'), ({ value, text }) => ({ account: value, name: text.replace(/,.*/, '') }))",
  );
  const shown: ShownSection[] = [];
  for (const { account, name } of accounts) {
    await page.selectOption('.picker select', account);
    await page.waitForSelector(`#now-title:has-text("${name},")`);
    await page.waitForSelector(`#trust-title:has-text("${name},")`);
    await page.waitForSelector('#now [data-counter=real] [data-value]:not([data-value=""])');
    await page.waitForSelector('#forecast [data-level=p50]');
    await page.waitForSelector('#trade table.grid tbody tr');
    await eventually(`all of ${account} is there`, async () => (await page.locator(MISSING).count()) === 0);
    const sections = await page.evaluate<readonly { readonly id: string; readonly text: string }[]>(
      "Array.from(document.querySelectorAll('main section[id]'), ({ id, textContent }) => ({ id, text: textContent }))",
    );
    for (const { id, text } of sections) {
      assert.doesNotMatch(text, /NaN|undefined|Infinity/, `${id} of ${account}`);
      shown.push({ section: id, account });
    }
  }
  return shown;
}
