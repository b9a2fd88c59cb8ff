import { openStore } from '../../../src/store/lmdb/open-store.ts';
import { tellParent } from '../../support/child.ts';

// Leaves a rejection unhandled that has nothing to do with the store, which stays open.
const [folder = ''] = process.argv.slice(2);
await openStore(folder);
tellParent('open');
void Promise.reject(new Error('astray'));
