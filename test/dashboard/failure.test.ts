import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { accessibilityFindings } from './accessibility.ts';
import { DESKTOP, describeFedPage } from './fed-site.ts';

/** Notes when the page opens a socket, by the clock that the test moves, and how many sockets have ended. */
const WATCH_SOCKETS = `
  window.attempts = [];
  window.ended = 0;
  window.WebSocket = class extends WebSocket {
    constructor(...args) {
      super(...args);
      window.attempts.push(Date.now());
      this.addEventListener('close', () => { window.ended += 1; });
    }
  };
`;

/** Sockets that nobody ever answers. */
const HANGING_SOCKETS = `
  window.attempts = [];
  window.WebSocket = class {
    constructor() { window.attempts.push(Date.now()); }
    send() {}
    close() {}
  };
`;

/** What names a part of the page or is for choosing; it is true whatever the server says. */
const LASTING =
  'h2, .panel-head, summary, legend, .window, label, button, select, .panel form, .tile header, [popover]';

/** Texts with a figure that look fresh. */
const FRESH_FIGURES = `(() => {
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const { textContent, parentElement: element } = texts.currentNode;
    const isLasting = element.closest('${LASTING}') !== null && element.closest('.event') === null;
    if (!/\\d/.test(textContent) || isLasting || element.closest('.sr-only') !== null) continue;
    let opacity = 1;
    for (let each = element; each !== null; each = each.parentElement) opacity *= getComputedStyle(each).opacity;
    if (opacity === 1 && element.checkVisibility()) found.push(textContent);
  }
  return found;
})()`;

describeFedPage(
  'the dashboard that has lost its server',
  (site) => {
    const figures = (page: Page) => page.evaluate<string[]>(FRESH_FIGURES);

    it('tries to reach it again at most 5 s apart', async () => {
      const { page } = await site.open();
      await page.addInitScript(WATCH_SOCKETS);
      await page.clock.install();
      await page.reload();
      await page.waitForSelector('[data-state=live]');
      await site.stopServer();
      await eventually('the end is noticed', () => page.evaluate<boolean>('ended > 0'));
      // Time passes only while no attempt is under way, however long that takes.
      await eventually('there are many attempts', async () => {
        if (await page.evaluate<boolean>('ended >= attempts.length')) await page.clock.runFor(500);
        return page.evaluate<boolean>('attempts.length >= 10');
      });
      const attempts = await page.evaluate<number[]>('attempts');
      const gaps = attempts.slice(2).map((at, place) => at - (attempts[place + 1] ?? 0));
      assert.ok(Math.max(...gaps) <= 5_500, `${gaps.join(', ')} ms apart`);
      await page.context().close();
    });

    it('tries again at most 5 s apart while nobody answers its handshakes', async () => {
      const { page } = await site.open();
      await page.addInitScript(HANGING_SOCKETS);
      await page.clock.install();
      await page.reload();
      await eventually('there are many attempts', async () => {
        await page.clock.runFor(500);
        return page.evaluate<boolean>('attempts.length >= 8');
      });
      const attempts = await page.evaluate<number[]>('attempts');
      const gaps = attempts.slice(1).map((at, place) => at - (attempts[place] ?? 0));
      assert.ok(Math.max(...gaps) <= 5_100, `${gaps.join(', ')} ms apart`);
      await page.context().close();
    });

    it('dims every figure, in chips and tables too, and can still be read', async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page } = await site.open({ screen: { ...DESKTOP, colorScheme }, key: 'demo_pro' });
        await page.waitForSelector('.scores tbody tr');
        await page.waitForSelector('.errors tbody tr');
        await page.click('.overview summary');
        assert.ok((await figures(page)).length > 100);
        if (colorScheme === 'dark') {
          await site.stopServer();
          await page.waitForSelector('[data-state=down]');
        } else {
          // The socket stays, and nothing comes over it.
          site.isTicking = false;
          await page.waitForSelector('[data-state=stale]');
        }
        await eventually('nothing looks fresh', async () => (await figures(page)).length === 0);
        assert.deepEqual(await accessibilityFindings(page), []);
        site.isTicking = true;
        await page.context().close();
      }
    });
  },
  { isShared: false },
);
