import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The kernel's limit for the path of a socket is 104 to 108 bytes, depending on the system. */
const MAX_SOCKET_PATH_BYTES = 100;

/** The path of a data folder's local socket: inside the folder or, if that is too long, a name made from the folder's path. */
export function socketPathOf(folder: string, name: string): string {
  const path = join(folder, `${name}.sock`);
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES) return path;
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 32);
  return join(tmpdir(), `${name}-${digest}.sock`);
}

/** The path of the control socket of the engine that runs on this folder, whatever path names the folder. */
export function controlSocketPathOf(folder: string): string {
  return socketPathOf(realpathSync(folder), 'control');
}
