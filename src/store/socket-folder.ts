import { closeSync, mkdtempSync, openSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder, held open to make and reach local sockets in it. */
export interface SocketFolder {
  /** A path of a socket in the folder that the system takes, however long the folder's own path is. */
  pathOf(name: string): string;
  /** After this the paths must not be used any more, nor a server be closed that listens at one. */
  close(): void;
}

/** The kernel's limit for the path of a socket is 104 to 108 bytes, depending on the system. */
const MAX_SOCKET_PATH_BYTES = 100;
const LONGEST_NAME = 40;

/** Where the engine that runs on a folder takes commands. */
export const CONTROL_SOCKET = 'control.sock';

export function openSocketFolder(folder: string, platform: string = process.platform): SocketFolder {
  const path = realpathSync(folder);
  if (Buffer.byteLength(path) + LONGEST_NAME <= MAX_SOCKET_PATH_BYTES) {
    return { pathOf: (name) => join(path, name), close: () => undefined };
  }
  return platform === 'linux' ? byDescriptor(path) : byLink(path);
}

function byDescriptor(path: string): SocketFolder {
  const descriptor = openSync(path, 'r');
  return {
    pathOf: (name) => `/proc/self/fd/${descriptor}/${name}`,
    close: () => closeSync(descriptor),
  };
}

/** The sockets lie in the folder here too: only the way to them leads through the temporary folder. */
function byLink(path: string): SocketFolder {
  const short = mkdtempSync(join(tmpdir(), 'tw-'));
  const link = join(short, 'f');
  symlinkSync(path, link);
  return {
    pathOf: (name) => join(link, name),
    close: () => rmSync(short, { recursive: true, force: true }),
  };
}
