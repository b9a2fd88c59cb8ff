import { readdirSync } from 'node:fs';
import { createEnvironment } from './environment.ts';
import { replaceEnvironment } from './replace-environment.ts';

/** What the name of a store that was set aside begins with. */
const DIVERGED = 'db.diverged-';

/**
 * Puts an empty store in the place of the one in `folder`, and keeps that beside it; resolves to its name. Only for the
 * process that holds the lock, when the store is closed.
 */
export async function setStoreAside(folder: string): Promise<string> {
  const name = DIVERGED + new Date().toISOString().replace(/[:.]/g, '-');
  await replaceEnvironment(folder, name, createEnvironment);
  return name;
}

/** How many stores of a folder were set aside. */
export function countStoresAside(folder: string): number {
  return readdirSync(folder).filter((entry) => entry.startsWith(DIVERGED)).length;
}
