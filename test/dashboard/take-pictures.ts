import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { eventually } from '../support/eventually.ts';
import { openServedPage } from './served-page.ts';
import { unlock } from './test-browser.ts';

/** Takes the pictures of the documentation: each section of the page, filled by the demo's world. */

const FOLDER = fileURLToPath(new URL('../../../.pictures/', import.meta.url));
const DESKTOP = { viewport: { width: 1_600, height: 1_000 } } as const;
const WALLET = '0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1';

mkdirSync(FOLDER, { recursive: true });
const site = await openServedPage({ historyDays: 100, seed: 1 });
try {
  const { page } = await site.openPage({ ...DESKTOP, colorScheme: 'dark' });
  await page.goto(site.url);
  await unlock(page, 'demo_pro');
  await page.waitForSelector('[data-level=p50]', { timeout: 120_000 });
  site.world.control.post({ account: 'a', kind: 'quote', text: 'Numbers first, opinions later' });
  // Lags need a post that was seen live, and signals need the scores of history.
  await page.waitForSelector('#trade table.grid tbody tr', { timeout: 120_000 });
  await page.waitForSelector('#trust .calibration circle', { timeout: 180_000 });
  await page.waitForSelector('.forecast-changes .num');
  await eventually(
    'the count is drawn from the start of the window',
    async () => (await page.locator('.posts li').count()) > 8,
  );
  await page.screenshot({ path: `${FOLDER}dashboard.png` });
  await page.fill('input[name=wallet]', WALLET);
  await page.press('input[name=wallet]', 'Enter');
  await page.waitForSelector('section[aria-label=Positions] tbody tr');
  for (const section of ['now', 'forecast', 'trade', 'trust']) {
    await page.locator(`#${section}`).screenshot({ path: `${FOLDER}${section}.png` });
  }
  await page.click('[aria-label="Use light colours"]');
  await page.evaluate('scrollTo(0, 0)');
  await page.screenshot({ path: `${FOLDER}light.png` });
  const narrow = await site.openPage({ viewport: { width: 380, height: 820 }, colorScheme: 'dark' });
  await narrow.page.goto(site.url);
  await unlock(narrow.page, 'demo_pro');
  await narrow.page.waitForSelector('[data-level=p50]');
  await narrow.page.waitForSelector('#trade table.grid tbody tr');
  await narrow.page.waitForSelector('[data-state=live]');
  await narrow.page.evaluate('scrollTo(0, 0)');
  await narrow.page.screenshot({ path: `${FOLDER}narrow.png` });
} finally {
  await site.close();
}
