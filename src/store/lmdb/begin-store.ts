import { messageOf, StoreError } from '../../errors.ts';
import { makeFolder } from '../make-folder.ts';
import { createEnvironment, hasEnvironment } from './environment.ts';
import { finishReplacement, replaceEnvironment } from './replace-environment.ts';
import { missingStore, storeTraces } from './store-traces.ts';

/**
 * Sees to it that there is a store in the folder: ends what a killed process left of a replacement, and begins an empty
 * store where there never was one. Refuses where one is gone.
 */
export async function beginStore(folder: string): Promise<void> {
  finishReplacement(folder);
  if (hasEnvironment(folder)) return;
  try {
    makeFolder(folder);
    const traces = storeTraces(folder);
    if (traces.length > 0) throw missingStore(folder, traces);
    await replaceEnvironment(folder, 'db.empty', createEnvironment);
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    throw new StoreError('STORE_UNWRITABLE', `cannot use ${folder} as a data folder: ${messageOf(cause)}`, {
      cause,
    });
  }
}
