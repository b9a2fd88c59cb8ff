import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { CHROMIUM, requirePackages } from '../support/system-packages.ts';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const PATIENCE_MS = 60_000;

/** Skips the test where there is no browser, and says so; with `CI=true` it fails instead. */
export function requireBrowser(test: Mocha.Context): void {
  requirePackages(test, 'the dashboard in a browser');
}

/** A page with its errors and warnings. */
export interface OpenPage {
  readonly page: Page;
  readonly faults: string[];
}

/** A real browser without a window. */
export interface TestBrowser {
  readonly browser: Browser;
  /** An empty page in a context of its own. */
  openPage(options?: BrowserContextOptions): Promise<OpenPage>;
  close(): Promise<void>;
}

export async function openTestBrowser(): Promise<TestBrowser> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  return {
    browser,
    async openPage(options = {}) {
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
      context.setDefaultTimeout(PATIENCE_MS);
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
      });
      page.on('pageerror', (error) => faults.push(String(error)));
      return { page, faults };
    },
    close: () => browser.close(),
  };
}

/** Enters a key; on a narrow screen the menu has the place for it. */
export async function unlock(page: Page, key: string): Promise<void> {
  const menu = page.locator('.menu-button[aria-expanded=false]');
  await page.waitForSelector('.top');
  if (await menu.isVisible()) await menu.click();
  await page.fill('input[name=key]', key);
  await page.press('input[name=key]', 'Enter');
}

/** The count that the page shows; null while it shows none. */
export async function shownCount(page: Page, counter: 'real' | 'oracle' | 'ui'): Promise<number | null> {
  const text = await page.getAttribute(`[data-counter=${counter}] [data-value]`, 'data-value');
  return text === null || text === '' ? null : Number(text);
}
