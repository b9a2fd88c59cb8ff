import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createShares } from '../../src/access/gate.ts';
import { LIMITS } from '../../src/access/limits/rate-policy.ts';
import { parseConfig } from '../../src/config/config.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { busyOutputs } from '../dashboard/busy-outputs.ts';
import { startFeed } from '../feed/feed-server.ts';
import { sendToParent } from '../support/child.ts';
import { FRESH_AGES } from '../support/outputs.ts';
import { keepBusy } from './keep-busy.ts';

// The server with its feed and its store, fed by hand, with the limits it has unless others are set. Collects what is
// garbage when it is told to `rest`; answers that and `report` with the connections it holds. Ends on request, or with its
// parent.

const { feed, trafficPerMinute } = parseConfig({ flags: {}, env: {} });
if (feed === null || trafficPerMinute === null) throw new TypeError('the usual limits are off');
const folder = await mkdtemp(join(tmpdir(), 'tallywire-hostile-'));
const store = await openStore(folder);
const server = await startFeed({
  store,
  loaded: busyOutputs(),
  limits: feed,
  http: { limits: LIMITS, shares: createShares(trafficPerMinute) },
});
let isEnding = false;
for (const end of ['SIGTERM', 'disconnect']) {
  process.once(end, () => {
    isEnding = true;
  });
}

process.on('message', (order) => {
  if (order === 'rest') globalThis.gc?.();
  server.http.server.getConnections((_error, connections = 0) => {
    sendToParent({ connections });
  });
});

await server.tick(FRESH_AGES);
sendToParent({ url: server.url });
await keepBusy(server, () => isEnding);
await server.stop();
await store.close();
await rm(folder, { recursive: true });
if (process.connected) process.disconnect();
