import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { eventually } from '../support/eventually.ts';
import { unlock } from './browsing.ts';
import { openControlSocket } from './served-page.ts';

/** Takes the pictures of the README: each section of the page, filled by the demo's world. */

const FOLDER = fileURLToPath(new URL('../../../.pictures/', import.meta.url));
const DESKTOP = { viewport: { width: 1_600, height: 1_000 } } as const;
const WALLET = '0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1';

mkdirSync(FOLDER, { recursive: true });
const desk = await openControlSocket({ historyDays: 100, seed: 1 });
try {
  const { page } = await desk.look({ ...DESKTOP, colorScheme: 'dark' });
  await page.goto(desk.url);
  await unlock(page, 'demo_pro');
  await page.waitForSelector('[data-level=p50]', { timeout: 120_000 });
  desk.world.control.post({ account: 'a', kind: 'quote', text: 'Numbers first, opinions later' });
  // Until something was seen live, its lag is not known; and signals wait for the record of history.
  await page.waitForSelector('#trade table.grid tbody tr', { timeout: 120_000 });
  await page.waitForSelector('#trust .calibration circle', { timeout: 180_000 });
  await page.waitForSelector('.moves .num');
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
  const narrow = await desk.look({ viewport: { width: 380, height: 820 }, colorScheme: 'dark' });
  await narrow.page.goto(desk.url);
  await unlock(narrow.page, 'demo_pro');
  await narrow.page.waitForSelector('[data-level=p50]');
  await narrow.page.waitForSelector('#trade table.grid tbody tr');
  await narrow.page.waitForSelector('[data-state=live]');
  await narrow.page.evaluate('scrollTo(0, 0)');
  await narrow.page.screenshot({ path: `${FOLDER}narrow.png` });
} finally {
  await desk.close();
}
