import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { bucketSignal, FRESH_AGES, signalsOutput, velocityOutput } from '../support/outputs.ts';
import { describeFedPage, PHONE } from './fed-site.ts';

/** Whether the chart of the count has the colour of our own count somewhere. */
const HAS_ACCENT = `(() => {
  const probe = document.body.appendChild(document.createElement('span'));
  probe.style.color = 'var(--accent)';
  const accent = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
  probe.remove();
  const canvas = document.querySelector('.fan canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3] > 250 && accent.every((value, index) => Math.abs(data[at + index] - value) < 6)) return true;
  }
  return false;
})()`;

describeFedPage('what the dashboard is worth', (site) => {
  const opacityOf = (page: Page, selector: string) =>
    page.evaluate<number>(`Number(getComputedStyle(document.querySelector('${selector}')).opacity)`);

  it('says first and loudly that a bucket cannot win while somebody bids for it', async () => {
    const { page, faults } = await site.open({ key: 'demo_pro' });
    const passed = bucketSignal({
      title: '0-19',
      token: 'yes-passed',
      standing: 'dead',
      prob: 0,
      price: 0.2,
      bid: 0.19,
      edge: -0.2,
      edgeNet: -0.19,
      action: 'SELL',
      codes: ['PASSED_BY_COUNT'],
      kelly: 0,
      noKelly: 0.5,
    });
    await site.server.turn(signalsOutput({ eventId: 1, account: 'a', buckets: [passed, bucketSignal()] }));
    await page.waitForSelector('.orders li:first-child.passed >> text=0-19 cannot win any more');
    assert.doesNotMatch(await page.innerText('#trade'), /\$0\.00/);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  it('tells of a bucket that our own count has left, with its worth and how long the oracle takes', async () => {
    const { page, faults } = await site.open({ key: 'demo_pro' });
    const left = bucketSignal({
      title: '60-71',
      token: 'yes-left',
      lo: 60,
      hi: 71,
      prob: 0.02,
      bid: 0.25,
      bidSize: 200,
      action: 'HOLD',
    });
    await site.server.turn(signalsOutput({ eventId: 1, account: 'a', buckets: [left] }));
    for (const place of ['.answer.to-do', '#trade']) {
      const said = page.locator(`${place} .orders .left`);
      await said.waitFor();
      assert.match(
        await said.innerText(),
        /^Our count of 72 is above 60-71, the oracle's of 71 is not, and somebody still pays 25\.0 % for 200 shares\. Sell Yes if held\. Worth \$\d+\.\d\d on average, \$\d+\.\d\d if it loses; the oracle takes 61\.0 s for half/,
      );
    }
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  it('says that there is nothing to do, and what may come soon', async () => {
    const { page } = await site.open({ key: 'demo_pro' });
    const idle = { prob: 0.5, edge: 0, edgeNet: 0, action: 'HOLD', kelly: 0 } as const;
    await site.server.turn(
      velocityOutput({ account: 'a', counted1h: 8 }),
      signalsOutput({
        eventId: 1,
        account: 'a',
        buckets: [
          bucketSignal({ ...idle, title: '60-73', token: 'yes-here', lo: 60, hi: 73 }),
          bucketSignal({ ...idle, title: '74-89', token: 'yes-next', lo: 74, hi: 89 }),
        ],
      }),
    );
    await page.waitForSelector('.answer.to-do .orders .idle');
    assert.match(
      await page.locator('.answer.to-do .orders .watch', { hasText: '74-89' }).innerText(),
      /^2 posts from 74-89: 59\.4 % likely within 15 min at the pace of the last hour\. /,
    );
    await page.context().close();
  });

  it('explains each signal in words by keyboard, with its code beside them', async () => {
    const { page } = await site.open({ key: 'demo_pro' });
    const why = page.locator('#trade button[aria-expanded]').first();
    await why.focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('#trade .why code');
    assert.match(await page.innerText('#trade .why'), /market pays .*bid .*for programs/s);
    await page.context().close();
  });

  it('explains its words by keyboard and by a finger', async () => {
    const { page } = await site.open({ screen: PHONE, key: 'demo_pro' });
    await page.waitForSelector('.scores tbody tr');
    for (const word of ['UI', 'Posts an hour', 'Flip risk', 'CRPS']) {
      const button = page.locator(`[aria-label="What is ${word}?"]`);
      await button.scrollIntoViewIfNeeded();
      await button.tap();
      await page.waitForSelector(`[popover]:popover-open >> text=${word}`);
      await page.keyboard.press('Escape');
      await page.waitForSelector('[popover]:popover-open', { state: 'detached' });
    }
    await page.context().close();
  });

  it('dims what is not fresh, and nothing else', async () => {
    const { page } = await site.open({ key: 'demo_pro' });
    const opacities = () =>
      Promise.all(['.buckets', '#trade .grid', '.posts'].map((part) => opacityOf(page, part)));
    assert.deepEqual(await opacities(), [1, 1, 1]);
    site.isTicking = false;
    try {
      await eventually('prices are dimmed, and posts are not', async () => {
        await site.server.tick({ ...FRESH_AGES, prices: 61_000 }, ['prices']);
        const [buckets = 1, trade = 1, posts = 1] = await opacities();
        return buckets < 1 && trade < 1 && posts === 1;
      });
    } finally {
      site.isTicking = true;
    }
    await eventually('prices are fresh again', async () => (await opacityOf(page, '.buckets')) === 1);
    await page.context().close();
  });

  it('draws a chart in its own colours, also one that was begun while its input was not fresh', async () => {
    const { page } = await site.open({ key: 'demo_pro' });
    await eventually('the count is drawn', () => page.evaluate<boolean>(HAS_ACCENT));
    site.isTicking = false;
    try {
      await eventually('the chart is dimmed', async () => {
        await site.server.tick({ ...FRESH_AGES, posts: 61_000 }, ['posts']);
        return (await opacityOf(page, '.fan')) < 1;
      });
      // A chart is begun anew with another theme.
      await page.click('.theme');
      await eventually('it has its colour', () => page.evaluate<boolean>(HAS_ACCENT));
    } finally {
      site.isTicking = true;
    }
    await page.context().close();
  });

  it('lists, searches and sorts all events, and goes to one', async () => {
    const { page, faults } = await site.open({ key: 'demo_pro' });
    await page.click('.overview summary');
    const names = () => page.locator('section[aria-label="All events"] tbody th').allInnerTexts();
    await eventually('all are listed', async () => (await names()).length === 8);
    assert.match((await names())[0] ?? '', /Nov 13–15/);
    await page.selectOption('[name=order]', 'edge');
    await page.fill('[name=find-event]', 'account b november 10');
    await eventually('one is found', async () => (await names()).length === 1);
    await page.click('section[aria-label="All events"] tbody button');
    await page.waitForSelector('#now-title:has-text("Account B, Nov 10–17")');
    await page.waitForSelector('.overview >> text=No event on a coin.');
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  it('is used by keys, which it lists', async () => {
    const { page } = await site.open();
    await page.waitForSelector('#now-title:has-text("Nov 13–15")');
    await page.keyboard.press('j');
    await page.waitForSelector('#now-title:has-text("Nov 10–17")');
    await page.keyboard.press('k');
    await page.waitForSelector('#now-title:has-text("Nov 13–15")');
    await page.keyboard.press('4');
    await eventually('the section is seen', async () => page.url().endsWith('#trade'));
    await page.keyboard.press('?');
    await page.waitForSelector('dialog.shortcuts[open] >> text=next and previous event');
    await page.keyboard.press('Escape');
    await page.focus('input[name=key]');
    await page.keyboard.type('j4');
    // What is typed into a field is no shortcut.
    assert.equal(await page.inputValue('input[name=key]'), 'j4');
    assert.match(await page.innerText('#now-title'), /Nov 13–15/);
    await page.context().close();
  });
});
