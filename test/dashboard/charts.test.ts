import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { describeFedPage, PHONE } from './fed-site.ts';

describeFedPage('the charts of the dashboard', (site) => {
  /** A place on the plot of a chart, by its share of the width. */
  async function placeOn(page: Page, chart: string, share: number) {
    const plot = page.locator(`${chart} .u-over`);
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    assert.ok(box);
    return { x: box.x + box.width * share, y: box.y + box.height / 2 };
  }

  const tipOf = (page: Page, chart: string) => page.innerText(`${chart} .tip:not([hidden])`);

  it('say time and count before now, and the range after it, under the pointer', async () => {
    const { page, faults } = await site.open({ key: 'demo_pro' });
    const early = await placeOn(page, '.fan', 0.3);
    await page.mouse.move(early.x, early.y);
    assert.match(await tipOf(page, '.fan .chart'), /^\d+ \w+,? \d\d:\d\d: \d+ posts$/);
    const late = await placeOn(page, '.fan', 0.95);
    await page.mouse.move(late.x, late.y);
    // Drawn with the next frame.
    await eventually('the range is said', async () =>
      /: \d+, 90 % within \d+ to \d+$/.test(await tipOf(page, '.fan .chart')),
    );
    await page.hover('.distribution');
    assert.match(await tipOf(page, '.distribution-box'), /^\d+ to \d+: \d+\.\d %$/);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  it('say so under a finger', async () => {
    const { page } = await site.open({ screen: PHONE, key: 'demo_pro' });
    const { x, y } = await placeOn(page, '.fan', 0.3);
    await page.touchscreen.tap(x, y);
    await eventually('the count is said', async () => /posts$/.test(await tipOf(page, '.fan .chart')));
    await page.context().close();
  });

  it('show a part of the time that is dragged over or asked for, and all again', async () => {
    const { page } = await site.open({ key: 'demo_pro' });
    const [from, to] = [await placeOn(page, '.fan', 0.2), await placeOn(page, '.fan', 0.6)];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 5 });
    await page.mouse.up();
    await page.waitForSelector('.fan [data-zoomed=true]');
    await page.mouse.move(from.x, from.y);
    const zoomed = await tipOf(page, '.fan .chart');
    await page.click('.fan >> text=Show all');
    await page.waitForSelector('.fan [data-zoomed=false]');
    await page.mouse.move(from.x, from.y);
    assert.notEqual(await tipOf(page, '.fan .chart'), zoomed);
    await page.focus('.fan [aria-label="Zoom in"]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.fan [data-zoomed=true]');
    await page.context().close();
  });

  it('say where the axis of the count begins', async () => {
    const { page } = await site.open({ key: 'demo_pro' });
    assert.match(await page.innerText('.axis-note'), /^The axis begins at (0|\d+, not at 0)\.$/);
    await page.context().close();
  });

  it('group unlikely buckets and leave none out, and show all when asked', async () => {
    const { page } = await site.open();
    await page.waitForSelector('.buckets tbody tr');
    assert.equal(await page.locator('.buckets tbody tr').count(), 12);
    const groups = await page.locator('.buckets .group-row td:nth-child(2)').allInnerTexts();
    const grouped = groups.reduce((sum, text) => sum + Number.parseInt(text, 10), 0);
    assert.equal(grouped + 12 - groups.length, 16);
    await page.click('text=Show all 16');
    assert.equal(await page.locator('.buckets tbody tr:not(.group-row)').count(), 16);
    await page.click('text=Group the unlikely ones');
    assert.equal(await page.locator('.buckets tbody tr').count(), 12);
    await page.context().close();
  });

  it('draw calibration as dots with whiskers and their number', async () => {
    const { page } = await site.open();
    // The made-up scores have no forecasts behind them whose buckets could be counted.
    const reliability = [
      { from: 0, to: 0.1, n: 1_200, mean_prob: 0.02, won_share: 0.02 },
      { from: 0.3, to: 0.4, n: 40, mean_prob: 0.34, won_share: 0.4 },
    ];
    await page.route(/performance\/calibration/, async (route) => {
      const answer = await route.fetch();
      const { data, ...rest } = await answer.json();
      const filled = data.map((group: object) => ({ ...group, reliability }));
      await route.fulfill({ response: answer, json: { ...rest, data: filled } });
    });
    await page.reload();
    const dots = page.locator('.calibration .dot-and-whisker');
    await dots.first().waitFor();
    assert.deepEqual(await dots.locator('text').allTextContents(), ['1,200', '40']);
    assert.equal(await dots.locator('line').count(), 6);
    await page.context().close();
  });
});
