import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { openWorld, type World } from '../../src/world/world.ts';
import { eventually } from '../support/eventually.ts';
import { type Program, runProgram } from '../support/program.ts';
import { type Browsing, openBrowsing, type Seen } from './browsing.ts';

/** A world, the program as a user runs it, and a browser to look at it with. */
export interface ControlSocket {
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

export async function openControlSocket({
  historyDays,
  seed = 3,
  startAt,
}: DeskOptions): Promise<ControlSocket> {
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
  let browsing: Browsing | undefined;

  return {
    world,
    url,
    async look(options) {
      browsing ??= await openBrowsing();
      return browsing.look(options);
    },
    kill: () => program.kill('SIGKILL'),
    async revive() {
      program = await start();
    },
    async close() {
      await browsing?.close();
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
