import { existsSync } from 'node:fs';

/** Sends a command to the engine that runs on a folder; undefined when none does. */
export async function askEngine(folder: string, command: object) {
  if (!existsSync(folder)) return undefined;
  const [{ askControlSocket }, { CONTROL_SOCKET, openSocketFolder }, { expectReadable }] = await Promise.all([
    import('../access/keys/control-socket.ts'),
    import('../store/socket-folder.ts'),
    import('../store/readable-folder.ts'),
  ]);
  expectReadable(folder);
  const sockets = openSocketFolder(folder);
  try {
    return await askControlSocket(sockets.pathOf(CONTROL_SOCKET), command);
  } finally {
    sockets.close();
  }
}
