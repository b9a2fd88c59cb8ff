import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { sendToParent } from '../../support/child.ts';

// Reads the head of the log, and stays until it is told to stop.
const [folder = ''] = process.argv.slice(2);
const store = await openStore(folder, { readOnly: true });
sendToParent(store.journal.head);
process.once('message', async () => {
  await store.close();
  process.disconnect();
});
