import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { readMeta } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { accessibilityFindings } from './accessibility.ts';
import { openServedPage, type ServedPage } from './served-page.ts';
import { requireBrowser, shownCount, unlock } from './test-browser.ts';

const FIRST_NUMBER = '[data-counter=real] [data-value]:not([data-value=""])';
const MOST_SCRIPT_BYTES = 90 * 1_024;

const PATIENCE_MS = 60_000;

/** Notes whether the positions of a wallet were ever gone, or dimmed, from now on. */
const WATCH_POSITIONS = `
  window.seen = { wasGone: false, wasDimmed: false };
  const panel = document.querySelector('section[aria-label=Wallet]');
  new MutationObserver(() => {
    const held = panel.querySelector('[aria-busy]:has(section[aria-label=Positions])');
    window.seen.wasGone ||= held === null;
    window.seen.wasDimmed ||= held !== null && Number(getComputedStyle(held).opacity) < 1;
  }).observe(panel, { subtree: true, childList: true, attributes: true });
`;

function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  return eventually(what, holds);
}

async function widthBeyondScreen(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
}

describe('the dashboard in a browser', function () {
  this.timeout(4 * PATIENCE_MS);
  let site: ServedPage;

  before(async function () {
    requireBrowser(this);
    site = await openServedPage({ historyDays: 15, staleSecondsPosts: 4 });
  });
  after(() => site?.close());

  it('shows numbers in a browser without a cache, without errors or warnings', async () => {
    await until('posts are counted', async () =>
      (await readMeta(site.url, 'account_a')).data.some(({ real_counter }) => real_counter !== null),
    );
    const { page, faults } = await site.openPage();
    await page.goto(site.url);
    await page.waitForSelector(FIRST_NUMBER);
    await page.waitForSelector('[data-state=live]');
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  it('sends little script, and none from other hosts', async () => {
    const script = await fetch(`${site.url}/dashboard/page.js`, { headers: { 'Accept-Encoding': 'gzip' } });
    const bytes = Number(script.headers.get('content-length'));
    assert.equal(script.headers.get('content-encoding'), 'gzip');
    assert.ok(bytes > 0 && bytes < MOST_SCRIPT_BYTES, `${bytes} bytes`);
    const page = await fetch(`${site.url}/`);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /);
    assert.doesNotMatch(policy, /unsafe|http|\*/);
    assert.doesNotMatch(await page.text(), /<script>|style=|onload=|https?:/);
  });

  it('counts a new post, and shows its kind', async () => {
    const { page, faults } = await site.openPage();
    await page.goto(site.url);
    await page.waitForSelector('[data-state=live]');
    const before = (await shownCount(page, 'real')) ?? 0;
    const { id } = site.world.control.post({ account: 'a', kind: 'original', text: 'a post for the page' });
    await page.waitForSelector(`[data-post="${id}"]`);
    assert.match((await page.textContent(`[data-post="${id}"]`)) ?? '', /original.*a post for the page/);
    await until('the counter moved', async () => ((await shownCount(page, 'real')) ?? 0) > before);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  it('unlocks the forecast with a key, which stays in the tab', async () => {
    const { page, faults } = await site.openPage({ viewport: { width: 1_600, height: 1_000 } });
    await page.goto(site.url);
    await page.waitForSelector('text=Forecasts need a PRO key');
    await unlock(page, 'no_such_key');
    await page.waitForSelector('text=The server does not know this key.');
    await unlock(page, 'demo_pro');
    await page.waitForSelector('[data-level=p50]');
    assert.match((await page.textContent('[data-level=p50]')) ?? '', /^[\d,]+$/);
    const offset = await page.textContent('dt:text-is("Settled minus our count") + dd');
    assert.match(offset ?? '', /^[−+]?\d+ to [−+]?\d+$/);
    await page.waitForSelector('#trade table.grid tbody tr');
    const { id } = site.world.control.post({ account: 'a', kind: 'original', text: 'one that counts' });
    await page.waitForSelector(`[data-post="${id}"] .tag.good`);
    assert.equal(await page.evaluate<string>('sessionStorage.getItem("key")'), 'demo_pro');
    assert.equal(await page.evaluate<number>('localStorage.length'), 0);
    assert.deepEqual(await accessibilityFindings(page), []);
    await page.setViewportSize({ width: 380, height: 800 });
    assert.ok((await widthBeyondScreen(page)) <= 0, 'wider than the screen');
    await page.click('.menu-button');
    await page.click('text=Forget key');
    await page.waitForSelector('text=Forecasts need a PRO key');
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  it('unlocks the first screen with the key of the demo by one press of a key', async () => {
    const { page } = await site.openPage();
    await page.goto(site.url);
    await page.focus('.try-key');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.answer.to-do .orders li');
    await page.waitForSelector('.answer.will-be >> text=in 90 %');
    await page.context().close();
  });

  it('sizes signals for the bankroll, and shows the positions of a wallet', async () => {
    const { page, faults } = await site.openPage();
    await page.goto(site.url);
    await unlock(page, 'demo_pro');
    await page.waitForSelector('#trade input[type=range]');
    await page.focus('#trade input[type=range]');
    await page.keyboard.press('End');
    await page.waitForSelector('text=sized for $100,000.00');
    await page.click("text=Try the demo's wallet");
    await page.waitForSelector(
      'section[aria-label=Positions] .merge >> text=/^Merge [\\d.]+ Yes and No of .* for \\$/',
    );
    await until('shares and what was paid are shown', async () => {
      const [shares = '', paid = ''] = await page
        .locator('section[aria-label=Positions] tr:not(.group) td.num')
        .allInnerTexts();
      return /^[\d.]+$/.test(shares) && /^[\d.]+ %$/.test(paid);
    });
    // They stay, dimmed, while they are sized for another bankroll.
    await page.evaluate(WATCH_POSITIONS);
    const sized = page.waitForResponse((response) => /portfolio.*bankroll=10\b/.test(response.url()));
    await page.focus('#trade input[type=range]');
    await page.keyboard.press('Home');
    await sized;
    await page.waitForSelector('section[aria-label=Wallet] > [aria-busy=false]');
    assert.deepEqual(await page.evaluate('seen'), { wasGone: false, wasDimmed: true });
    for (const width of [1_600, 1_280, 380]) {
      await page.setViewportSize({ width, height: 900 });
      // A row that is being drawn anew has no place for a moment.
      await until(`advice is seen at ${width} px`, async () => {
        const advice = await page.locator('section[aria-label=Positions] .advice').first().boundingBox();
        const area = await page.locator('section[aria-label=Positions]').boundingBox();
        return advice !== null && area !== null && advice.x + advice.width <= area.x + area.width;
      });
    }
    assert.match(
      (await page.getAttribute('.market-link', 'href')) ?? '',
      /^http.*\/events\/slug\/account-a-/,
    );
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  it('compares model and market of a bucket over time', async () => {
    const { page, faults } = await site.openPage();
    await page.goto(site.url);
    await unlock(page, 'demo_pro');
    const chart = '#over-time [role=img]';
    // There is a record for each minute, and the page asks each minute.
    await page.waitForSelector(chart, { timeout: 3 * PATIENCE_MS });
    const first = await page.inputValue('#over-time select');
    const label = (await page.getAttribute(chart, 'aria-label')) ?? '';
    assert.ok(label.startsWith(`Bucket ${first} over time; at the end market `), label);
    await page.selectOption('#over-time select', { index: 0 });
    const second = await page.inputValue('#over-time select');
    await page.waitForSelector(`${chart}[aria-label^="Bucket ${second} over time"]`);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  it('has no accessibility violation in either theme or on a narrow screen', async () => {
    const { page, faults } = await site.openPage({ colorScheme: 'light' });
    await page.goto(site.url);
    await page.waitForSelector(FIRST_NUMBER);
    assert.deepEqual(await accessibilityFindings(page), []);
    const light = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    await page.click('[aria-label="Use dark colours"]');
    await page.waitForSelector('[aria-label="Use light colours"]');
    const dark = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    assert.notEqual(dark, light);
    assert.deepEqual(await accessibilityFindings(page), []);
    await page.setViewportSize({ width: 380, height: 800 });
    assert.deepEqual(await accessibilityFindings(page), []);
    assert.ok((await widthBeyondScreen(page)) <= 0, 'wider than the screen');
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  it('follows the theme of the system, and switches events by keyboard', async () => {
    const { page } = await site.openPage({ colorScheme: 'dark' });
    await page.goto(site.url);
    await page.waitForSelector('[aria-label="Use light colours"]');
    const title = await page.textContent('#now-title');
    await page.focus('.event input:checked');
    await page.keyboard.press('ArrowDown');
    await until('another event is shown', async () => (await page.textContent('#now-title')) !== title);
    await page.context().close();
  });

  it('shows that a source stopped answering, and that it answers again', async () => {
    const { page } = await site.openPage();
    await page.goto(site.url);
    await page.waitForSelector('[data-state=live]');
    site.world.control.fault({ role: 'posts', kind: 'status', status: 503 });
    try {
      await page.waitForSelector('[data-state=stale]');
      await page.waitForSelector('[data-counter=real].is-stale');
      assert.match((await page.textContent('.connection')) ?? '', /Stale.*posts of Account A/);
      await page.waitForSelector('[data-source="posts/account_a"].silent');
    } finally {
      site.world.control.clearFaults();
    }
    await page.waitForSelector('[data-state=live]');
    await page.context().close();
  });

  it('reconnects by itself after the server was killed, and misses no post', async () => {
    const { page } = await site.openPage();
    await page.goto(site.url);
    await page.waitForSelector('[data-state=live]');
    const before = (await shownCount(page, 'real')) ?? 0;
    await site.kill();
    await page.waitForSelector('[data-state=down]');
    await page.waitForSelector('text=Nothing new comes in.');
    assert.equal(await page.locator('.tile.is-stale').count(), 3);
    // Large sections are rendered some frames later.
    await until(
      'no source is shown as answering',
      async () => (await page.locator('.sources >> text=answers').count()) === 0,
    );
    // Any horizon that is not shown: which one is follows from the time to the close.
    await page.click('.horizons label:not(.chosen)');
    await page.waitForSelector('#trust >> text=Not answered');
    const posts = ['first', 'second', 'third'].map((text) => site.world.control.post({ account: 'a', text }));
    await site.restart();
    await page.waitForSelector('[data-state=live]');
    for (const { id } of posts) await page.waitForSelector(`[data-post="${id}"]`);
    await page.waitForSelector('#trust >> text=Not answered', { state: 'detached' });
    await until('all are counted', async () => ((await shownCount(page, 'real')) ?? 0) >= before + 3);
    await page.context().close();
  });
});
