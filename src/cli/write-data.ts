import type { Store } from '../store/store.ts';

/** Says at once what else the user should know. */
export type Say = (sentence: string) => void;

interface WriteOptions {
  readonly say: Say;
  /** Whether a folder that is not there is made. Otherwise it was mistyped. */
  readonly mayCreate?: boolean;
}

/** Opens the store of a data folder for this process alone: no engine runs on it meanwhile. */
export async function writeData<T>(
  folder: string,
  { say, mayCreate = false }: WriteOptions,
  act: (store: Store) => Promise<T>,
): Promise<T> {
  const [{ openStore }, { lockFolder }, { privacyText }] = await Promise.all([
    import('../store/lmdb/open-store.ts'),
    import('../store/lock.ts'),
    import('../store/private-folder.ts'),
  ]);
  if (!mayCreate) await (await openStore(folder, { readOnly: true })).close();
  const lock = await lockFolder(folder);
  try {
    const told = privacyText(lock.privacy);
    if (told !== undefined) say(told);
    const store = await openStore(folder, {
      tell: ({ message, details }) => say(`${message}: ${JSON.stringify(details)}`),
    });
    try {
      return await act(store);
    } finally {
      await store.close();
    }
  } finally {
    await lock.release();
  }
}
