import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { openWorld, type World } from '../../src/world/world.ts';
import { eventually } from '../support/eventually.ts';
import { type Program, runProgram } from '../support/program.ts';
import { CHROMIUM } from '../support/system-packages.ts';

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

/** A page with all that went wrong in it. */
export interface Seen {
  readonly page: Page;
  readonly faults: string[];
}

/** A world, the program as a user runs it, and a browser to look at it with. */
export interface Desk {
  readonly world: World;
  readonly url: string;
  look(options?: BrowserContextOptions): Promise<Seen>;
  /** Ends the program as a loss of power would. */
  kill(): Promise<void>;
  /** Starts it again where it was. */
  revive(): Promise<void>;
  close(): Promise<void>;
}

export interface DeskOptions {
  readonly historyDays: number;
  readonly seed?: number;
  /** UTC ms; now without it. */
  readonly startAt?: number;
}

export async function openDesk({ historyDays, seed = 3, startAt }: DeskOptions): Promise<Desk> {
  const data = await mkdtemp(join(tmpdir(), 'tallywire-desk-'));
  const world = await openWorld({ seed, ...(startAt === undefined ? {} : { startAt }) });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = ['start', '--json', '--port', String(port), '--data', data];
  const start = async (): Promise<Program> => {
    const program = runProgram([...args, '--world', world.url, '--history-days', String(historyDays)]);
    await program.url;
    return program;
  };
  let program = await start();
  await eventually('it is ready', async () => (await fetch(`${url}/readyz`)).status === 200, 30_000);
  let browser: Browser | undefined;

  return {
    world,
    url,
    async look(options = {}) {
      browser ??= await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
      });
      page.on('pageerror', (error) => faults.push(String(error)));
      return { page, faults };
    },
    kill: () => program.kill('SIGKILL'),
    async revive() {
      program = await start();
    },
    async close() {
      await browser?.close();
      await program.kill('SIGTERM');
      await world.close();
      await rm(data, { recursive: true });
    },
  };
}

/** Free a moment ago; kept over restarts, as the page knows no other. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

export async function unlock(page: Page, key: string): Promise<void> {
  await page.fill('input[name=key]', key);
  await page.press('input[name=key]', 'Enter');
}

/** The count shown, or null. */
export async function shownCount(page: Page, counter: 'real' | 'oracle' | 'ui'): Promise<number | null> {
  const text = await page.getAttribute(`[data-counter=${counter}] [data-value]`, 'data-value');
  return text === null || text === '' ? null : Number(text);
}
