import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StoreError } from '../../errors.ts';
import { openSocketFolder } from '../socket-folder.ts';
import { errorCode } from '../system-error.ts';
import type { WriteHold } from './write-hold.ts';

/**
 * Whoever opens an environment makes LMDB note in the reader table which commit is the last, as the file said a moment
 * before. A commit that is made in between is forgotten, and the next one begins without it. So a reader asks the writer to
 * make none while it opens: it connects to the writer's socket in the data folder, opens when it is told to, and hangs up.
 */

const SOCKET = 'writer.sock';
/** A reader that was stopped while it opens must not stop the writer for longer. */
const LONGEST_OPENING_MS = 2_000;
/** For so long a reader waits for a writer that is busy. */
const GIVE_UP_MS = 10_000;
const RETRY_MS = 20;

export interface ReaderOpenings {
  close(): Promise<void>;
}

/** For the writer of the environment in a data folder: lets readers open it between two writes. */
export async function serveReaderOpenings(folder: string, writes: WriteHold): Promise<ReaderOpenings> {
  const sockets = openSocketFolder(folder);
  const readers = new Set<Socket>();
  const server = createServer((reader) => {
    readers.add(reader);
    reader.on('error', () => reader.destroy());
    reader.once('close', () => readers.delete(reader));
    // Without this the end is never seen of one that has hung up.
    reader.resume();
    void writes.whileHeld(() => untilOpened(reader)).finally(() => reader.destroy());
  });
  // A writer that was ended leaves its own behind.
  rmSync(join(folder, SOCKET), { force: true });
  server.listen(sockets.pathOf(SOCKET));
  await once(server, 'listening');
  // Later errors are about callers that could not be accepted: they ask again.
  server.on('error', () => undefined);
  chmodSync(join(folder, SOCKET), 0o600);
  server.unref();
  return {
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const reader of readers) reader.destroy();
      await closed;
      sockets.close();
    },
  };
}

async function untilOpened(reader: Socket): Promise<void> {
  if (reader.destroyed) return;
  reader.setTimeout(LONGEST_OPENING_MS, () => reader.destroy());
  // However it ends, also with an error, as one does that was killed.
  const closed = new Promise((resolve) => reader.once('close', resolve));
  reader.write('open\n');
  await closed;
}

/** What a writer says to a reader: to open, to ask again, or nothing as there is none. */
type Turn = { readonly is: 'ours'; readonly socket: Socket } | { readonly is: 'later' | 'free' };

function askForTurn(path: string, timeoutMs: number): Promise<Turn> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (is: 'later' | 'free') => {
      socket.destroy();
      resolve({ is });
    };
    socket.setTimeout(timeoutMs, () => end('later'));
    socket.once('data', () => resolve({ is: 'ours', socket }));
    socket.once('end', () => end('later'));
    socket.once('error', (error) => {
      const isAlone = ['ENOENT', 'ECONNREFUSED'].includes(String(errorCode(error)));
      end(isAlone ? 'free' : 'later');
    });
  });
}

/** For a reader of an environment in a data folder: calls `open`, which has to be done when it returns, while nobody writes. */
export async function openBesideWriter<T>(folder: string, open: () => T): Promise<T> {
  const sockets = openSocketFolder(folder);
  const giveUpAt = performance.now() + GIVE_UP_MS;
  try {
    for (;;) {
      const turn = await askForTurn(sockets.pathOf(SOCKET), Math.max(1, giveUpAt - performance.now()));
      if (turn.is === 'free') return open();
      if (turn.is === 'ours') {
        try {
          return open();
        } finally {
          turn.socket.destroy();
        }
      }
      if (performance.now() >= giveUpAt) throw busy(folder);
      await delay(RETRY_MS);
    }
  } finally {
    sockets.close();
  }
}

function busy(folder: string): StoreError {
  return new StoreError(
    'STORE_STALLED',
    `the process that writes to ${folder} did not let a reader open it for ${GIVE_UP_MS / 1_000} s: its disk or the process itself does not answer; try again later`,
  );
}
