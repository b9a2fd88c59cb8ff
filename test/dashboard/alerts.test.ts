import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { countersOutput } from '../support/outputs.ts';
import { accessibilityFindings } from './accessibility.ts';
import { DESKTOP, describeFedPage, type FedSite, PHONE } from './fed-site.ts';

/** Stands in for the browser's notifications and sounds, which nobody sees and hears here. */
const WATCH_TELLING = `
  window.asked = 0;
  window.shown = [];
  window.sounds = 0;
  window.Notification = class {
    static permission = sessionStorage.getItem('permission') ?? 'default';
    static async requestPermission() {
      window.asked += 1;
      sessionStorage.setItem('permission', 'granted');
      return (Notification.permission = 'granted');
    }
    constructor(title, { body }) { window.shown.push(title + ': ' + body); }
    close() {}
  };
  window.AudioContext = class extends AudioContext {
    constructor() { super(); window.sounds += 1; }
  };
`;

interface Told {
  readonly asked: number;
  readonly shown: readonly string[];
  readonly sounds: number;
}

describeFedPage('alerts in the browser', (site) => {
  const toldIn = (page: Page) => page.evaluate<Told>('({ asked, shown, sounds })');

  async function open(options: Parameters<FedSite['open']>[0] = {}) {
    const opened = await site.open(options);
    await opened.page.addInitScript(WATCH_TELLING);
    await opened.page.reload();
    await opened.page.waitForSelector('[data-state=live]');
    await opened.page.click('.alerts summary');
    return opened;
  }

  async function add(page: Page, figure: string, sign: string, value: string): Promise<void> {
    await page.selectOption('[name=alert-figure]', figure);
    await page.selectOption('[name=alert-sign]', sign);
    await page.fill('[name=alert-value]', value);
    await page.press('[name=alert-value]', 'Enter');
    await page.waitForSelector(`.alert-rows code:text-is("${figure} ${sign} ${value}")`);
  }

  const count = (real: number) => site.server.turn(countersOutput({ eventId: 1, account: 'a', real }));

  it('are told once for each crossing, by a notification, a sound and on the page', async () => {
    const { page, faults } = await open();
    await count(500);
    await page.waitForSelector('#alert-present:text-is("now 500")');
    assert.equal((await toldIn(page)).asked, 0);
    await page.click('text=Allow notifications');
    await page.waitForSelector('text=Alerts are told by notifications');
    assert.equal((await toldIn(page)).asked, 1);
    await add(page, 'real_counter', '>=', '503');
    for (const real of [502, 503, 504, 503]) await count(real);
    await page.waitForSelector('.alert-notice >> text=Our own count: 503, at least 503');
    await page.waitForSelector('[data-counter=real] [data-value="503"]');
    const expected = ['Account A, Nov 13–15: Our own count: 503, at least 503'];
    const { shown, sounds } = await toldIn(page);
    assert.deepEqual([shown, sounds], [expected, 1]);
    assert.equal(await page.locator('ol.alert-rows li').count(), 1);
    await page.click('.alert-notice >> text=Close');
    assert.equal(await page.locator('.alert-notice p').count(), 0);
    assert.deepEqual(await accessibilityFindings(page), []);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  it('stay over a reload, in which nothing is told anew, and end when removed', async () => {
    const { page } = await open();
    await count(600);
    await page.waitForSelector('#alert-present:text-is("now 600")');
    await add(page, 'real_counter', '>', '600');
    await page.uncheck('[name=alert-sound]');
    await count(601);
    await page.waitForSelector('.alert-notice p');
    await page.reload();
    await page.waitForSelector('[data-state=live]');
    await page.waitForSelector('.alerts summary:text-is("Alerts, 1 set")');
    await page.click('.alerts summary');
    await count(602);
    await page.waitForSelector('[data-counter=real] [data-value="602"]');
    assert.deepEqual(await toldIn(page), { asked: 0, shown: [], sounds: 0 });
    await page.click('text=Remove');
    await page.waitForSelector('.alerts summary:text-is("Alerts, none set")');
    await page.context().close();
  });

  it('are told by one of two tabs', async () => {
    const { page } = await open();
    await count(700);
    await page.waitForSelector('#alert-present:text-is("now 700")');
    await page.click('text=Allow notifications');
    await add(page, 'real_counter', '>', '700');
    const other = await page.context().newPage();
    await other.addInitScript(WATCH_TELLING);
    await other.goto(site.server.url);
    await other.waitForSelector('[data-counter=real] [data-value="700"]');
    await other.waitForSelector('.alerts summary:text-is("Alerts, 1 set")');
    const told = async (each: Page) =>
      Number(/(\d+) told/.exec(await each.innerText('.alerts summary'))?.[1] ?? 0);
    for (const [crossing, real] of [701, 699, 702].entries()) {
      await count(real);
      for (const each of [page, other]) {
        await each.bringToFront();
        await each.waitForSelector(`[data-counter=real] [data-value="${real}"]`);
      }
      const expected = crossing < 2 ? 1 : 2;
      await eventually('it is told', async () => (await told(page)) + (await told(other)) >= expected);
      assert.equal((await told(page)) + (await told(other)), expected);
    }
    await page.context().close();
  });

  it('tell of a lost connection, and of what a key shows, on a phone too', async () => {
    const { page } = await open({ screen: PHONE, key: 'demo_pro' });
    await page.waitForSelector('[data-level=p50]');
    await page.selectOption('[name=alert-figure]', 'model_prob');
    await page.selectOption('[name=alert-event]', 'shown');
    await eventually('the probabilities are known', async () =>
      /^now 0.* to 0\./.test(await page.innerText('#alert-present')),
    );
    await add(page, 'stale_inputs', '>=', '4');
    site.isTicking = false;
    try {
      await page.waitForSelector('.alert-notice >> text=are stale: 4, at least 4');
    } finally {
      site.isTicking = true;
    }
    assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')) <= 0);
    await page.context().close();
  });

  it('say without a key that a figure is not known', async () => {
    const { page } = await open({ screen: DESKTOP });
    await page.selectOption('[name=alert-figure]', 'edge');
    await page.waitForSelector('#alert-present >> text=some figures need a PRO key');
    await page.context().close();
  });
});
