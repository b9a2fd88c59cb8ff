import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections (from 32768 on Linux, from 49152 elsewhere): between being
 * found free and being listened on, no connection of another test can take it.
 */
const FIRST_PORT = 15_000;
const PORTS = 17_000;
/** Processes that run side by side begin far apart. */
const PORTS_APART = 97;
let tried = process.pid * PORTS_APART;

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/** A port nobody listens on, for what has to keep one port over its restarts; never the same one twice. */
export async function freePort(): Promise<number> {
  const port = FIRST_PORT + (tried++ % PORTS);
  return (await isFree(port)) ? port : freePort();
}
