import { StoreError } from '../../src/errors.ts';
import { lockFolder } from '../../src/store/lock.ts';
import { tellParent } from '../support/child.ts';

// Tries for the lock of a folder when told to, says how that went, and holds it until it is killed.
const [folder = ''] = process.argv.slice(2);
process.once('message', async () => {
  try {
    await lockFolder(folder);
    tellParent('locked');
  } catch (error) {
    tellParent(error instanceof StoreError ? { code: error.code, message: error.message } : String(error));
  }
});
tellParent('ready');
