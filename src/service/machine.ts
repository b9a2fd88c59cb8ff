import { randomUUID } from 'node:crypto';
import type { SourceName } from '../../streams/internal.ts';
import { type ControlSocket, openControlSocket } from '../access/keys/control-socket.ts';
import { type Listen, listen } from '../server/http.ts';
import { type StartWorker, startWorkerThread } from '../simulation/pool.ts';
import { createHttpExchange, type HttpExchange } from '../sources/http-exchange.ts';
import { diskUse } from '../store/disk.ts';
import { openStartingStore } from '../store/lmdb/open-store.ts';
import { lockFolder } from '../store/lock.ts';
import { CONTROL_SOCKET, openSocketFolder } from '../store/socket-folder.ts';

/**
 * What the service takes from the machine that it runs on, beside its clocks and timers. A simulation gives its own.
 */
export interface Machine {
  /** Numbers in [0, 1). */
  readonly random: () => number;
  /** Gives no id twice. */
  readonly newId: () => string;
  readonly listen: Listen;
  readonly lockFolder: typeof lockFolder;
  readonly openStore: typeof openStartingStore;
  readonly diskUse: typeof diskUse;
  /** Takes commands from the same machine, under a name in the data folder. */
  readonly openControlSocket: typeof openControlSocketIn;
  readonly startWorker: StartWorker;
  /** What the source of this name asks the outside world with. */
  readonly fetchFor: (source: SourceName) => HttpExchange;
}

const ask = createHttpExchange();

export const thisMachine: Machine = {
  random: Math.random,
  newId: randomUUID,
  listen,
  lockFolder,
  openStore: openStartingStore,
  diskUse,
  openControlSocket: openControlSocketIn,
  startWorker: startWorkerThread,
  fetchFor: () => ask,
};

async function openControlSocketIn(
  folder: string,
  run: (command: unknown) => Promise<unknown>,
  report: (error: unknown) => void,
): Promise<ControlSocket> {
  const sockets = openSocketFolder(folder);
  try {
    const socket = await openControlSocket(sockets.pathOf(CONTROL_SOCKET), run, report);
    return { close: () => socket.close().finally(() => sockets.close()) };
  } catch (error) {
    sockets.close();
    throw error;
  }
}
