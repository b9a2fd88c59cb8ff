import { createShares } from '../../src/access/gate.ts';
import { LIMITS } from '../../src/access/limits/rate-policy.ts';
import { boundHeap } from '../../src/cli/bound-heap.ts';
import { parseConfig } from '../../src/config/config.ts';
import { sendToParent } from '../support/child.ts';
import { serveBusy } from './serve-busy.ts';

// A busy server with the limits it has unless others are set. Collects what is garbage when it is told to `rest`; answers
// that and `report` with the connections it holds.

const { feed, trafficPerMinute } = parseConfig({ flags: {}, env: {} });
if (feed === null || trafficPerMinute === null) throw new TypeError('the usual limits are off');
const http = { limits: LIMITS, shares: createShares(trafficPerMinute) };
await serveBusy({ limits: feed, http }, (server) => {
  // As every start does.
  boundHeap(() => true, 2);
  process.on('message', (order) => {
    if (order === 'rest') globalThis.gc?.();
    server.http.server.getConnections((_error, connections = 0) => sendToParent({ connections }));
  });
});
