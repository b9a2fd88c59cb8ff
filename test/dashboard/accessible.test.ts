import assert from 'node:assert/strict';
import { GLOSSARY } from '../../src/dashboard/glossary.ts';
import { eventually } from '../support/eventually.ts';
import { accessibilityFindings } from './accessibility.ts';
import { DESKTOP, describeFedPage, PHONE } from './fed-site.ts';
import { unlock } from './test-browser.ts';

/** Words that stand beside what these made-up records do not have: positions, and events on coins. */
const NOT_SHOWN = ['P&L', 'Wins', 'Merge', 'To beat'];

describeFedPage('the dashboard for everyone', (site) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    it(`has no accessibility violation with all of it open, ${colorScheme}`, async () => {
      const { page } = await site.open({ screen: { ...DESKTOP, colorScheme }, key: 'demo_pro' });
      await page.waitForSelector('.errors tbody tr');
      await page.click('.overview summary');
      await page.click('.alerts summary');
      await page.selectOption('[name=alert-figure]', 'edge');
      await page.fill('[name=alert-value]', '0.9');
      await page.press('[name=alert-value]', 'Enter');
      await page.click('text=Show all 16');
      await page.locator('#trade button[aria-expanded]').first().click();
      await page.locator('.fan [aria-label="Zoom in"]').click();
      assert.deepEqual(await accessibilityFindings(page), []);
      await page.click('[aria-label="What is Edge?"] >> nth=0');
      await page.waitForSelector('[popover]:popover-open');
      assert.deepEqual(await accessibilityFindings(page), []);
      await page.keyboard.press('Escape');
      await page.evaluate('document.activeElement.blur()');
      await page.keyboard.press('?');
      await page.waitForSelector('dialog[open]');
      assert.deepEqual(await accessibilityFindings(page), []);
      await page.context().close();
    });
  }

  it('has none on a phone with its menu open, nor when a key is refused', async () => {
    const { page } = await site.open({ screen: PHONE });
    await unlock(page, 'no_such_key');
    await page.tap('.menu-button');
    await page.waitForSelector('text=The server does not know this key.');
    assert.deepEqual(await accessibilityFindings(page), []);
    await page.context().close();
  });

  it('explains every word of its glossary, within reach of the keyboard', async () => {
    const { page } = await site.open({ key: 'demo_pro' });
    await page.waitForSelector('.scores tbody tr');
    await page.click('.overview summary');
    const explained = async () => {
      const labels = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.term button')].filter((each) => each.tabIndex === 0).map((each) => each.ariaLabel)`,
      );
      return [...new Set(labels.map((label) => label.replace(/^What is (.*)\?$/, '$1')))].toSorted();
    };
    const expected = Object.keys(GLOSSARY).filter((word) => !NOT_SHOWN.includes(word));
    // Parts of the page are drawn as their answers come.
    await eventually(
      'as many words are explained',
      async () => (await explained()).length >= expected.length,
    );
    assert.deepEqual(await explained(), expected.toSorted());
    await page.context().close();
  });
});
