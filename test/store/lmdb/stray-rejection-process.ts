import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { sendToParent } from '../../support/child.ts';

// Leaves a rejection unhandled that has nothing to do with the store, which stays open.
const [folder = ''] = process.argv.slice(2);
await openStore(folder);
sendToParent('open');
void Promise.reject(new Error('astray'));
