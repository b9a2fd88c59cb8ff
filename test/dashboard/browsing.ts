import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { CHROMIUM, missingPackages } from '../support/system-packages.ts';

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

/** Leaves out what follows where there is no browser, and says so; with `CI=true` it fails instead. */
export function requireBrowser(test: Mocha.Context): void {
  const missing = missingPackages();
  if (missing === undefined) return;
  if (process.env.CI === 'true') throw new Error(`cannot be tested without ${missing}`);
  process.stderr.write(`NOT TESTED: ${missing} is missing\n`);
  test.skip();
}

/** A page with all that went wrong in it. */
export interface Seen {
  readonly page: Page;
  readonly faults: string[];
}

/** A real browser without a window. */
export interface Browsing {
  readonly browser: Browser;
  /** An empty page in a context of its own. */
  look(options?: BrowserContextOptions): Promise<Seen>;
  close(): Promise<void>;
}

export async function openBrowsing(): Promise<Browsing> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  return {
    browser,
    async look(options = {}) {
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
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

/** Types a key in. */
export async function unlock(page: Page, key: string): Promise<void> {
  await page.fill('input[name=key]', key);
  await page.press('input[name=key]', 'Enter');
}

/** The count shown, or null. */
export async function shownCount(page: Page, counter: 'real' | 'oracle' | 'ui'): Promise<number | null> {
  const text = await page.getAttribute(`[data-counter=${counter}] [data-value]`, 'data-value');
  return text === null || text === '' ? null : Number(text);
}
