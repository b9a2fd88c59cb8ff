import { join } from 'node:path';
import type { RootDatabase } from '#database';
import { StoreError } from '../../errors.ts';
import { diskUse } from '../disk.ts';
import { openSparePages, type SparePages } from './spare-pages.ts';
import { openWriteRoom, type WriteRoom } from './write-room.ts';

function isFigures(stats: object): stats is { readonly pageSize: number; readonly lastPageNumber: number } {
  return (
    'pageSize' in stats &&
    typeof stats.pageSize === 'number' &&
    'lastPageNumber' in stats &&
    typeof stats.lastPageNumber === 'number'
  );
}

/** The size of a page, and how many pages of the file are in use as of the last commit. */
export function pagesOf(root: RootDatabase): { readonly pageSize: number; readonly used: number } {
  const stats = root.getStats();
  if (!isFigures(stats)) throw new TypeError('lmdb does not tell its pages');
  return { pageSize: stats.pageSize, used: stats.lastPageNumber + 1 };
}

/** Creating all databases takes less. */
const CREATION_PAGES = 256;

/** Makes room for creating the databases. Without space that is allowed only where all of them exist. */
async function makeRoomToCreate(
  root: RootDatabase,
  databases: readonly string[],
  pages: SparePages,
): Promise<void> {
  try {
    await pages.growTo(pagesOf(root).used + CREATION_PAGES);
  } catch (cause) {
    const names = new Set<unknown>(root.getKeys());
    if (databases.every((name) => names.has(name))) return;
    throw new StoreError('STORE_FULL', 'no space left on the disk to create the store', { cause });
  }
}

/** Room for the writes to an environment. */
export interface OpenRoom {
  readonly room: WriteRoom;
  close(): Promise<void>;
}

/** Makes room in the environment at `path`, before any of its databases is opened. */
export async function openRoom(
  root: RootDatabase,
  path: string,
  databases: readonly string[],
  reserveBytes: number,
): Promise<OpenRoom> {
  const { pageSize } = pagesOf(root);
  const pages = await openSparePages(join(path, 'data.mdb'), pageSize);
  try {
    await makeRoomToCreate(root, databases, pages);
    const room = await openWriteRoom({
      pages,
      pageSize,
      usedPages: () => pagesOf(root).used,
      freeBytes: async () => (await diskUse(path)).freeBytes,
      reserveBytes,
      now: () => performance.now(),
    });
    return { room, close: pages.close };
  } catch (error) {
    await pages.close();
    throw error;
  }
}
