import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { busyOutputs } from '../dashboard/busy-outputs.ts';
import { startFeed } from '../feed/feed-server.ts';
import { sendToParent } from '../support/child.ts';
import { FRESH_AGES } from '../support/outputs.ts';
import { keepBusy } from './keep-busy.ts';

type Options = Omit<Parameters<typeof startFeed>[0], 'store' | 'loaded'>;
type Server = Awaited<ReturnType<typeof startFeed>>;

/** The server with its feed and its store, fed by hand, as a process of its own. Ends on request, or with its parent. */
export async function serveBusy(
  options: Options,
  onOpen: (server: Server) => void = () => {},
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tallywire-busy-'));
  const store = await openStore(folder);
  const server = await startFeed({ ...options, store, loaded: busyOutputs() });
  let isEnding = false;
  for (const end of ['SIGTERM', 'disconnect']) {
    process.once(end, () => {
      isEnding = true;
    });
  }
  onOpen(server);
  await server.tick(FRESH_AGES);
  sendToParent({ url: server.url });
  await keepBusy(server, () => isEnding);
  await server.stop();
  await store.close();
  await rm(folder, { recursive: true });
  if (process.connected) process.disconnect();
}
