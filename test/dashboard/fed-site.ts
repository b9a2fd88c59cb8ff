import type { BrowserContextOptions } from 'playwright-core';
import type { Output } from '../../streams/internal.ts';
import { type FeedServer, type FeedServerOptions, startFeed } from '../feed/feed-server.ts';
import { FRESH_AGES } from '../support/outputs.ts';
import { busyOutputs } from './busy-outputs.ts';
import { type OpenPage, openTestBrowser, unlock } from './test-browser.ts';

export const DESKTOP: BrowserContextOptions = { viewport: { width: 1_600, height: 1_000 } };
export const LAPTOP: BrowserContextOptions = { viewport: { width: 1_280, height: 800 } };
export const PHONE: BrowserContextOptions = { viewport: { width: 380, height: 820 }, hasTouch: true };

interface OpenOptions {
  readonly screen?: BrowserContextOptions;
  readonly key?: string;
  /** What follows the address of the server. */
  readonly path?: string;
}

/** A server with made-up records whose sources answer each second, and a browser. */
export interface FedSite {
  readonly server: FeedServer;
  /** A page that is live; with a key also unlocked. */
  open(options?: OpenOptions): Promise<OpenPage>;
  close(): Promise<void>;
}

export async function openFedSite(
  loaded: readonly Output[] = busyOutputs(),
  options: Omit<FeedServerOptions, 'loaded'> = {},
): Promise<FedSite> {
  const browser = await openTestBrowser();
  const server = await startFeed({ ...options, loaded });
  const ticking = setInterval(() => void server.tick(FRESH_AGES), 1_000);
  return {
    server,
    async open({ screen = DESKTOP, key, path = '/' } = {}) {
      const opened = await browser.openPage(screen);
      await opened.page.goto(server.url + path);
      await opened.page.waitForSelector('[data-state=live]');
      if (key !== undefined) {
        await unlock(opened.page, key);
        await opened.page.waitForSelector('[data-level=p50]');
        await opened.page.waitForSelector('#trade table.grid tbody tr');
      }
      return opened;
    },
    async close() {
      clearInterval(ticking);
      await browser.close();
      await server.stop();
    },
  };
}
