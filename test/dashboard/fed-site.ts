import type { BrowserContextOptions } from 'playwright-core';
import type { Output } from '../../streams/internal.ts';
import { type FeedServer, type FeedServerOptions, startFeed } from '../feed/feed-server.ts';
import { FRESH_AGES } from '../support/outputs.ts';
import { busyOutputs } from './busy-outputs.ts';
import { type OpenPage, openTestBrowser, requireBrowser, unlock } from './test-browser.ts';

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
  /** Whether the sources answer. */
  isTicking: boolean;
  /** A page that is live; with a key also unlocked. */
  open(options?: OpenOptions): Promise<OpenPage>;
  /** Pages that are open lose the server. */
  stopServer(): Promise<void>;
  close(): Promise<void>;
}

export async function openFedSite(
  loaded: readonly Output[] = busyOutputs(),
  options: Omit<FeedServerOptions, 'loaded'> = {},
): Promise<FedSite> {
  const browser = await openTestBrowser();
  const server = await startFeed({ ...options, loaded });
  const ticking = setInterval(() => {
    if (site.isTicking) void server.tick(FRESH_AGES);
  }, 1_000);
  let stopped: Promise<void> | undefined;
  const stopServer = () => {
    clearInterval(ticking);
    stopped ??= server.stop();
    return stopped;
  };
  const site: FedSite = {
    server,
    isTicking: true,
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
    stopServer,
    async close() {
      await browser.close();
      await stopServer();
    },
  };
  return site;
}

/** Tests of the page with a site that they share, or with one for each of them. */
export function describeFedPage(
  title: string,
  tests: (site: FedSite) => void,
  { isShared = true }: { readonly isShared?: boolean } = {},
): void {
  describe(title, function () {
    this.timeout(240_000);
    let opened: FedSite | undefined;
    async function openSite(this: Mocha.Context): Promise<void> {
      requireBrowser(this);
      opened = await openFedSite();
    }
    const closeSite = () => opened?.close();
    if (isShared) before(openSite);
    else beforeEach(openSite);
    if (isShared) after(closeSite);
    else afterEach(closeSite);

    function current(): FedSite {
      if (opened === undefined) throw new TypeError('the site is open within tests alone');
      return opened;
    }
    tests({
      get server() {
        return current().server;
      },
      get isTicking() {
        return current().isTicking;
      },
      set isTicking(isTicking) {
        current().isTicking = isTicking;
      },
      open: (options) => current().open(options),
      stopServer: () => current().stopServer(),
      close: () => current().close(),
    });
  });
}
