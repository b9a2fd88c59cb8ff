import { StoreError } from '../errors.ts';
import type { Store } from '../store/store.ts';

/** Opens the store of a data folder beside an engine that may be running on it. */
export async function openData(folder: string): Promise<Store> {
  // Loaded only when needed, as a help page needs no native library.
  const [{ openStore }, { isDamage }] = await Promise.all([
    import('../store/lmdb/open-store.ts'),
    import('../store/lmdb/damage.ts'),
  ]);
  return openStore(folder, { readOnly: true }).catch((error: unknown) => {
    if (!(error instanceof Error) || !isDamage(error)) throw error;
    const remedy = `\`tallywire doctor --data ${folder}\` tells what can be saved`;
    throw new StoreError('STORE_CORRUPT', `${error.message}; ${remedy}`, { cause: error });
  });
}
