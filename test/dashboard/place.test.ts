import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { FRESH_AGES } from '../support/outputs.ts';
import { describeFedPage } from './fed-site.ts';

describeFedPage('the address of the dashboard', (site) => {
  const heading = (page: Page, text: string) => page.waitForSelector(`#now-title:has-text("${text}")`);
  const addressOf = (page: Page) => page.url().slice(site.server.url.length);
  const isSeen = (page: Page, id: string) =>
    page.evaluate<boolean>(
      `document.getElementById('${id}').getBoundingClientRect().top < innerHeight - 200`,
    );

  it('names the account and the event that are shown, and a link lands there', async () => {
    const { page, faults } = await site.open();
    await heading(page, 'Account A, Nov 13–15');
    assert.equal(addressOf(page), '/?account=account_a&event=1');
    await page.click('.switcher fieldset:last-child .event:nth-child(2)');
    await heading(page, 'Account B, Nov 10–17');
    assert.equal(addressOf(page), '/?account=account_b&event=12');
    await page.reload();
    await heading(page, 'Account B, Nov 10–17');
    const { page: other } = await site.open({ path: addressOf(page) });
    await heading(other, 'Account B, Nov 10–17');
    assert.deepEqual(faults, []);
    await other.context().close();
    await page.context().close();
  });

  it('goes back and forth with the browser', async () => {
    const { page } = await site.open();
    await heading(page, 'Account A, Nov 13–15');
    await page.click('.event:nth-child(2)');
    await heading(page, 'Nov 10–17');
    await page.click('.horizons >> text=48 h');
    await page.waitForSelector('text=48 h before the close, % of the final count');
    assert.match(addressOf(page), /event=2&horizon=48/);
    await page.goBack();
    await page.waitForSelector('text=24 h before the close, % of the final count');
    await page.goBack();
    await heading(page, 'Nov 13–15');
    await page.goForward();
    await heading(page, 'Nov 10–17');
    await page.context().close();
  });

  it('lands at a section and a horizon, and follows the section that is seen', async () => {
    const { page } = await site.open({ path: '/?account=account_a&event=2&horizon=72#trust' });
    await page.waitForSelector('text=72 h before the close, % of the final count');
    await eventually('the section is seen', () => isSeen(page, 'trust'));
    await page.waitForSelector('nav [href="#trust"][aria-current]');
    await page.mouse.wheel(0, -20_000);
    await eventually('the address follows', async () => /#now$/.test(page.url()));
    await page.waitForSelector('nav [href="#now"][aria-current]');
    await page.context().close();
  });

  it('says so when the event of a link is not open any more', async () => {
    const { page } = await site.open({ path: '/?account=account_b&event=999' });
    await page.waitForSelector('text=The event of this link is not open any more. Shown is Account B');
    await page.context().close();
  });

  it('tells count, window and status in the tab, and the status by the colour of its icon', async () => {
    const { page } = await site.open();
    await eventually('the title is there', async () => /^72 · Nov 13–15 · live$/.test(await page.title()));
    const icon = () => page.getAttribute('link[rel=icon]', 'href');
    const live = await icon();
    assert.match(live ?? '', /^data:image\/svg/);
    site.isTicking = false;
    try {
      await site.server.tick({ ...FRESH_AGES, prices: 61_000 }, ['prices']);
      await eventually(
        'it is stale',
        async () => / · stale$/.test(await page.title()) && (await icon()) !== live,
      );
    } finally {
      site.isTicking = true;
    }
    await eventually(
      'it is live again',
      async () => / · live$/.test(await page.title()) && (await icon()) === live,
    );
    await page.context().close();
  });
});
