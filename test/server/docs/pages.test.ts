import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { accessibilityFindings } from '../../dashboard/accessibility.ts';
import { openServedPage, type ServedPage } from '../../dashboard/served-page.ts';
import { requireBrowser } from '../../dashboard/test-browser.ts';
import { eventually } from '../../support/eventually.ts';

const PAGES = ['/docs', '/docs/feed'];
const WIDTHS = [380, 1_280];
/** What a reader of the demo may be. */
const KEYS = ['', 'demo_internal'];
/** One of each kind; the others are made the same way, and all of them would take minutes to examine. */
const SAMPLES = ['getHistory', 'getSignals', 'addAlert', 'schema-Counters', 'schema-subscribe'];

const leaveSamples = (page: Page) =>
  page.evaluate(`for (const each of document.querySelectorAll('details')) {
    if (${JSON.stringify(SAMPLES)}.includes(each.id)) each.open = true;
    else each.remove();
  }`);

const openAll = (page: Page) =>
  page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');

const shown = (page: Page, hasText: string) => page.locator('.frames pre', { hasText }).first().waitFor();

describe('the pages of the API in a browser', function () {
  this.timeout(240_000);
  let site: ServedPage;
  before(async function () {
    requireBrowser(this);
    site = await openServedPage({ historyDays: 15 });
    await eventually('the events are known', async () => {
      const answer = await fetch(`${site.url}/api/v1/signals/account_a`, {
        headers: { 'X-API-Key': 'demo_pro' },
      });
      return answer.ok;
    });
  });
  after(() => site?.close());

  for (const path of PAGES) {
    for (const colorScheme of ['dark', 'light'] as const) {
      for (const width of WIDTHS) {
        it(`have no fault for anybody at ${path}, ${width} px wide and ${colorScheme}`, async () => {
          const { page, faults } = await site.openPage({ viewport: { width, height: 800 }, colorScheme });
          await page.goto(site.url + path);
          await openAll(page);
          assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0);
          await leaveSamples(page);
          assert.deepEqual(await accessibilityFindings(page), []);
          assert.deepEqual(faults, []);
          await page.context().close();
        });
      }
    }
  }

  it('lead to each other, and back to the dashboard', async () => {
    const { page } = await site.openPage();
    await page.goto(`${site.url}/docs`);
    await page.click('header nav >> text=Feed');
    await page.waitForURL('**/docs/feed');
    await page.click('header nav >> text=REST');
    await page.waitForURL('**/docs');
    await page.click('header nav >> text=Dashboard');
    await page.waitForURL(`${site.url}/`);
    await page.waitForSelector('.top');
    await page.context().close();
  });

  it('keep the colours that were chosen, on the dashboard too', async () => {
    const { page } = await site.openPage({ colorScheme: 'light' });
    await page.goto(`${site.url}/docs`);
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await page.click('[aria-label="Use dark colours"]');
    const dark = await background();
    assert.notEqual(dark, light);
    for (const path of ['/docs', '/docs/feed', '/']) {
      await page.goto(site.url + path);
      await page.waitForSelector('[aria-label="Use light colours"]');
      assert.equal(await background(), dark, path);
    }
    await page.context().close();
  });

  it('open the operation or schema that an address names', async () => {
    const { page } = await site.openPage();
    await page.goto(`${site.url}/docs#getCounters`);
    await page.waitForSelector('#getCounters[open]');
    await page.click('#getCounters a[href="#schema-CountersAnswer"]');
    await page.waitForSelector('#schema-CountersAnswer[open]');
    await page.context().close();
  });

  it('offer a key of the demo, which the dashboard takes over', async () => {
    const { page } = await site.openPage();
    await page.goto(`${site.url}/docs#getSignals`);
    const send = page.locator('#getSignals [type=submit]');
    assert.equal(await send.isDisabled(), true);
    await page.click('#getSignals [data-use-key=demo_pro]');
    assert.equal(await page.inputValue('#key'), 'demo_pro');
    await send.click();
    await page.waitForSelector('#getSignals output[data-status="200"]');
    await page.goto(site.url);
    await page.waitForSelector('.top');
    assert.equal(await page.evaluate('sessionStorage.getItem("key")'), 'demo_pro');
    await page.context().close();
  });

  for (const key of KEYS) {
    it(`fill in nothing that fails ${key === '' ? 'without a key' : `with ${key}`}`, async () => {
      const { page, faults } = await site.openPage();
      await page.goto(`${site.url}/docs`);
      if (key !== '') await page.fill('#key', key);
      await openAll(page);
      const event = () => page.inputValue('#getHistory [name=event]');
      await eventually('an event is filled in', async () => (await event()) !== '');
      const forms = await page.locator('form.try').all();
      assert.ok(forms.length > 20);
      let sent = 0;
      for (const form of forms) {
        const name = (await form.getAttribute('aria-label')) ?? '';
        // What nobody can know is left open, and the browser asks for it.
        const isComplete = await page.evaluate<boolean>(
          `document.querySelector('[aria-label="${name}"]').checkValidity()`,
        );
        const send = form.locator('[type=submit]');
        if (!isComplete || (await send.isDisabled())) continue;
        await send.click();
        await form.locator('output[data-status]').waitFor();
        const status = await form.locator('output').getAttribute('data-status');
        assert.match(status ?? '', /^2/, `${name}: ${await form.locator('output').textContent()}`);
        sent += 1;
      }
      assert.ok(sent >= (key === '' ? 14 : 20), `${sent} were sent`);
      assert.deepEqual(faults, []);
      await page.context().close();
    });
  }

  it('show the frames of a channel as they come', async () => {
    const { page, faults } = await site.openPage();
    await page.goto(`${site.url}/docs/feed`);
    await page.selectOption('#listen-channel', 'heartbeat');
    await page.click('form.listen [type=submit]');
    await shown(page, '"type":"heartbeat"');
    await page.click('[data-stop]');
    assert.equal(await page.textContent('form.listen output'), 'Stopped');
    await page.fill('#key', 'demo_pro');
    await page.selectOption('#listen-channel', 'signals');
    await page.fill('#listen-account', 'account_a');
    await page.click('form.listen [type=submit]');
    await shown(page, '"type":"snapshot"');
    assert.deepEqual(faults, []);
    await page.context().close();
  });
});
