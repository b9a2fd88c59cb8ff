import { StoreError } from '../../../src/errors.ts';
import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { sendToParent } from '../../support/child.ts';

// Opens the store of a folder once: corruption may end this process from within C.
const [folder = ''] = process.argv.slice(2);
try {
  const store = await openStore(folder);
  sendToParent({ head: store.journal.head });
  await store.close();
} catch (error) {
  sendToParent(error instanceof StoreError ? { code: error.code, message: error.message } : String(error));
}
process.disconnect();
