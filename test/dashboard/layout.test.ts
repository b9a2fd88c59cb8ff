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

/** What each answer says without a key and with one. */
const ANSWERS = [
  ['count', [/72\s+oracle 71 · UI 69\s+closes in/, /72\s+oracle 71 · UI 69\s+closes in/]],
  ['will-be', [/%\sby the market\s+forecasts need a PRO key/, /96\s+\d+ to \d+ in 90 %\s+\S+ at \d/]],
  ['to-do', [/need a PRO key/, /Our count of 72 is above 68-71, .* Sell Yes if held/]],
  ['trusted', [/fresh all sources, .*ago\s+better than/, /fresh all sources, .*ago\s+better than/]],
] as const;

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

  it('answers what is, what will be, what to do and whether to trust it on the first screen', async () => {
    const screens = [
      { width: 1_280, height: 800 },
      { width: 1_600, height: 900 },
      { width: 380, height: 800 },
    ];
    for (const key of [undefined, 'demo_pro']) {
      const { page, faults } = await site.open({ ...(key === undefined ? {} : { key }) });
      await page.waitForSelector('.answer.trusted .past .tag');
      for (const viewport of screens) {
        await page.setViewportSize(viewport);
        await page.evaluate('scrollTo(0, 0)');
        for (const [name, expected] of ANSWERS) {
          const where = `${name} ${key ?? 'without a key'} at ${viewport.width} px`;
          const { left, right, top, bottom } = await boxOf(page, `.answer.${name}`);
          assert.ok(
            left >= 0 && top >= 0 && right <= viewport.width && bottom <= viewport.height,
            `${where}: not on the first screen, but from ${top} to ${bottom}`,
          );
          const [free, pro] = expected;
          const text = key === undefined ? free : pro;
          await eventually(where, async () => text.test(await page.innerText(`.answer.${name}`)));
          const cut = `(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('.answer.${name}'))`;
          assert.ok((await page.evaluate<number>(cut)) <= 1, `${where}: cut`);
        }
      }
      assert.deepEqual(faults, []);
      await page.context().close();
    }
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
