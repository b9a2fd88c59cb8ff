import { setTimeout as delay } from 'node:timers/promises';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { sendToParent } from '../../support/child.ts';
import { ticks } from '../../support/store-records.ts';

// Reads on while its disk is frozen and a write does not end, and tells how far it came.
const [folder = ''] = process.argv.slice(2);
const store = await openStore(folder, { reserveBytes: 1024 * 1024 });
await store.journal.append(ticks(1, 500));
sendToParent({ is: 'open' });
process.once('message', async () => {
  let hasWritten = false;
  const written = store.journal.append(ticks(501, 1)).then(() => {
    hasWritten = true;
  });
  for (let n = 1; !hasWritten; n++) {
    const read = [...store.journal.read(1)].length;
    sendToParent({ is: 'read', n, read, unfinishedMs: store.unfinishedWriteMs() });
    await delay(20);
  }
  await written;
  await store.close();
  sendToParent({ is: 'closed' });
  process.disconnect();
});
