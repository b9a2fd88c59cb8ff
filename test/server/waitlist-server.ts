import { createUsageTracking } from '../../src/access/usage/tracking.ts';
import { openStore } from '../../src/store/lmdb/open-store.ts';
import { sendToParent } from '../support/child.ts';
import { start } from './start.ts';

// Serves a waitlist and usage from the store in a folder, until it is killed or told to stop.
const [folder = ''] = process.argv.slice(2);
const store = await openStore(folder, { reserveBytes: 1024 * 1024 });
const tracking = createUsageTracking({
  store: store.usage,
  now: Date.now,
  retentionDays: 90,
  report: () => undefined,
});
tracking.start();
const { url, stop, app } = await start({
  deps: { waitlist: store.waitlist, usage: tracking, recorder: tracking, now: Date.now },
});
app.on('error', () => undefined);
sendToParent({ url });
process.once('message', async () => {
  await stop();
  await tracking.stop();
  await store.close();
  process.disconnect();
});
