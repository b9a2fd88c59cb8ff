import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { openWorld, type World } from '../../src/world/world.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { type Program, runProgram } from '../support/program.ts';
import { type OpenPage, openTestBrowser, type TestBrowser } from './test-browser.ts';

/** A world, the program as a user runs it, and a browser for its page. */
export interface ServedPage {
  readonly world: World;
  readonly url: string;
  openPage(options?: BrowserContextOptions): Promise<OpenPage>;
  /** Ends the program as abruptly as a power failure. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

interface ServedPageOptions {
  readonly historyDays: number;
  /** As by default without it. */
  readonly staleSecondsPosts?: number;
  readonly seed?: number;
  /** UTC ms; now without it. */
  readonly startAt?: number;
}

export async function openServedPage({
  historyDays,
  staleSecondsPosts,
  seed = 3,
  startAt,
}: ServedPageOptions): Promise<ServedPage> {
  const data = await mkdtemp(join(tmpdir(), 'tallywire-page-'));
  const world = await openWorld({ seed, ...(startAt === undefined ? {} : { startAt }) });
  // It stays the same over restarts, since the page keeps its address.
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const history = ['--history-days', String(historyDays)];
  const limit = staleSecondsPosts === undefined ? [] : ['--stale-seconds-posts', String(staleSecondsPosts)];
  const args = ['start', '--json', '--port', String(port), '--data', data, ...history, ...limit];
  const start = async (): Promise<Program> => {
    const program = runProgram([...args, '--world', world.url]);
    await program.url;
    return program;
  };
  let program = await start();
  await eventually('it is ready', async () => (await fetch(`${url}/readyz`)).status === 200);
  let browser: TestBrowser | undefined;

  return {
    world,
    url,
    async openPage(options) {
      browser ??= await openTestBrowser();
      return browser.openPage(options);
    },
    kill: () => program.kill('SIGKILL'),
    async restart() {
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
