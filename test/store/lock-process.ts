import { StoreError } from '../../src/errors.ts';
import { lockFolder } from '../../src/store/lock.ts';
import { sendToParent } from '../support/child.ts';

// Tries to lock each folder it is sent, reports the result, and keeps the lock until it is killed.
process.on('message', async (folder: string) => {
  try {
    await lockFolder(folder);
    sendToParent({ folder, result: 'locked' });
  } catch (error) {
    const result = error instanceof StoreError ? error.code : String(error);
    sendToParent({ folder, result, message: String(error) });
  }
});
sendToParent('ready');
