import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { describeFedPage, LAPTOP, PHONE } from './fed-site.ts';

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

function boxOf(page: Page, selector: string): Promise<Box> {
  return page.evaluate<Box>(
    `document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().toJSON()`,
  );
}

/** Areas that hide something to the right without saying so. */
const SILENT_AREAS = `[...document.querySelectorAll('main *, header *')]
  .filter((each) => ['auto', 'scroll'].includes(getComputedStyle(each).overflowX))
  .filter((each) => each.scrollWidth - each.clientWidth > 4)
  .filter((each) => getComputedStyle(each.parentElement.querySelector('.more-hint') ?? each).display === 'none'
    || each.parentElement.querySelector('.more-hint') === null)
  .map((each) => each.outerHTML.slice(0, 120))`;

describeFedPage('the layout of the dashboard', (site) => {
  it('has two columns on a laptop, and the forecast on the first screen', async () => {
    const { page } = await site.open({ screen: LAPTOP, key: 'demo_pro' });
    for (const width of [1_280, 1_100]) {
      await page.setViewportSize({ width, height: 800 });
      const [now, forecast] = [await boxOf(page, '#now'), await boxOf(page, '#forecast')];
      assert.ok(forecast.left >= now.right, `not side by side at ${width} px`);
      assert.ok((await boxOf(page, '.ends')).bottom <= 800, `below the first screen at ${width} px`);
    }
    await page.setViewportSize({ width: 1_099, height: 800 });
    assert.ok((await boxOf(page, '#forecast')).top >= (await boxOf(page, '#now')).bottom);
    await page.context().close();
  });

  it('has a low header on a phone, whose menu holds the rest', async () => {
    const { page, faults } = await site.open({ screen: PHONE });
    const heightOf = async () => (await boxOf(page, '.top')).bottom - (await boxOf(page, '.top')).top;
    assert.ok((await heightOf()) <= 56);
    assert.equal(await page.isVisible('.top nav'), false);
    await page.tap('.menu-button');
    await page.tap('.top nav >> text=Trust');
    await eventually('the section is seen', async () => (await boxOf(page, '#trust')).top < 400);
    assert.equal(await page.isVisible('.top nav'), false);
    assert.ok((await heightOf()) <= 56);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  it('hides nothing beside a narrow screen without a hint', async () => {
    const { page } = await site.open({ screen: PHONE, key: 'demo_pro' });
    await page.waitForSelector('.scores tbody tr');
    assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')) <= 0);
    await eventually(
      'hints are there',
      async () => (await page.evaluate<string[]>(SILENT_AREAS)).length === 0,
    );
    assert.ok((await page.locator('.scrollable.more').count()) > 0);
    await page.evaluate(`document.querySelector('.switcher .scroll').scrollTo(10_000, 0)`);
    await page.waitForSelector('.switcher fieldset:first-child .scrollable:not(.more)');
    await page.context().close();
  });

  it('cuts no label of the forecast on a phone', async () => {
    const { page } = await site.open({ screen: PHONE, key: 'demo_pro' });
    const [label, chart] = [await boxOf(page, '.distribution text'), await boxOf(page, '.distribution')];
    assert.ok(label.left >= chart.left && label.right <= chart.right + 0.5, 'the median is cut');
    const bars = await page.evaluate<number>(
      `Math.max(...[...document.querySelectorAll('.distribution rect')].map((each) => each.getBoundingClientRect().right))`,
    );
    assert.ok(bars <= label.left, 'the median is over the bars');
    await page.context().close();
  });
});
