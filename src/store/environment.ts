import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, type Key, open, type RootDatabase } from 'lmdb';
import { StoreError } from '../errors.ts';
import { type Durable, describe, durableAt } from './commit.ts';
import { makeFolder } from './folder.ts';

/** Raised with every change of how rows are keyed or encoded. */
export const LAYOUT = 1;

const MAX_READERS = 512;
const MAX_DBS = 32;
const READER_CHECK_MS = 60_000;

/** The LMDB environment of a data folder with all its databases open. */
export interface Environment {
  readonly root: RootDatabase;
  readonly isReadOnly: boolean;
  readonly durable: Durable;
  readonly meta: Database<string, string>;
  readonly journal: Database<string, number>;
  readonly history: Database<string, [stream: string, seq: number, n: number]>;
  readonly latest: Database<string, [stream: string, key: string]>;
  readonly checkpoints: Database<string, number>;
  readonly states: Database<Buffer, [seq: number, part: number]>;
  readonly notes: Database<string, string>;
  readonly usage: Database<string, [keyId: string, span: string, index: number]>;
  readonly usageErrors: Database<string, [keyId: string, n: number]>;
  readonly waitlist: Database<string, number>;
  readonly waitlistIndex: Database<string, string>;
  close(): Promise<void>;
}

export function environmentPath(folder: string): string {
  return join(folder, 'db');
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function prepareFolder(folder: string, isReadOnly: boolean): void {
  const path = environmentPath(folder);
  if (isReadOnly) {
    if (statSync(join(path, 'data.mdb'), { throwIfNoEntry: false }) === undefined) {
      throw new StoreError('STORE_MISSING', `there is no store in ${folder}`);
    }
    return;
  }
  try {
    makeFolder(path);
  } catch (cause) {
    throw new StoreError('STORE_UNWRITABLE', `cannot use ${folder} as a data folder: ${describe(cause)}`, {
      cause,
    });
  }
  if (!isFolder(path)) throw new StoreError('STORE_UNWRITABLE', `${path} is not a folder`);
}

function openRoot(folder: string, isReadOnly: boolean): RootDatabase {
  try {
    return open({
      path: environmentPath(folder),
      // The default trusts commits that were never flushed when it finds the boot id unchanged, and lost
      // data in modelled crashes; without it a write resolves after LMDB's own fsync.
      overlappingSync: false,
      readOnly: isReadOnly,
      maxReaders: MAX_READERS,
      maxDbs: MAX_DBS,
      noSubdir: false,
      encoding: 'string',
    });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    const isRefused = code === 1 || code === 13 || code === 28 || code === 30;
    throw new StoreError(
      isRefused ? 'STORE_UNWRITABLE' : 'STORE_BROKEN',
      isRefused
        ? `cannot write to the data folder ${folder}: ${describe(cause)}`
        : `the store in ${folder} cannot be opened: ${describe(cause)}; move its db folder away or restore a backup`,
      { cause },
    );
  }
}

function openTexts<K extends Key>(
  root: RootDatabase,
  name: string,
  compression = false,
): Database<string, K> {
  return root.openDB<string, K>({ name, encoding: 'string', compression });
}

/** Throws unless the layout is ours or the store is new. Creates nothing. */
function checkLayout(root: RootDatabase, folder: string): 'ours' | 'new' {
  const names = [...root.getKeys()];
  const meta = names.includes('meta') ? openTexts<string>(root, 'meta') : undefined;
  const layout = meta?.get('layout');
  if (layout === String(LAYOUT)) return 'ours';
  // A process killed while it created the store leaves nothing, or an empty meta and nothing else.
  if (layout === undefined && names.every((name) => name === 'meta')) return 'new';
  const found = layout === undefined ? 'no layout number' : `layout ${layout}`;
  throw new StoreError('STORE_LAYOUT', `the store in ${folder} has ${found}, expected layout ${LAYOUT}`);
}

/** Opens the environment under `folder`, creating it unless read-only. The only place with synchronous writes. */
export async function openEnvironment(folder: string, isReadOnly: boolean): Promise<Environment> {
  prepareFolder(folder, isReadOnly);
  const root = openRoot(folder, isReadOnly);
  try {
    const layout = checkLayout(root, folder);
    if (layout === 'new' && isReadOnly) {
      throw new StoreError('STORE_MISSING', `the store in ${folder} is empty`);
    }
    const meta = openTexts<string>(root, 'meta');
    if (layout === 'new') meta.putSync('layout', String(LAYOUT));
    const databases = {
      meta,
      journal: openTexts<number>(root, 'journal', true),
      history: openTexts<[string, number, number]>(root, 'history'),
      latest: openTexts<[string, string]>(root, 'latest'),
      checkpoints: openTexts<number>(root, 'checkpoints'),
      states: root.openDB<Buffer, [number, number]>({ name: 'states', encoding: 'binary' }),
      notes: openTexts<string>(root, 'notes'),
      usage: openTexts<[string, string, number]>(root, 'usage'),
      usageErrors: openTexts<[string, number]>(root, 'usageErrors'),
      waitlist: openTexts<number>(root, 'waitlist'),
      waitlistIndex: openTexts<string>(root, 'waitlistIndex'),
    };
    // A reader may come before the writer has made them all; its types do not say so.
    const all: unknown[] = Object.values(databases);
    if (all.includes(undefined)) {
      throw new StoreError('STORE_MISSING', `the store in ${folder} is not whole yet`);
    }
    // A killed reader keeps its slot, and with it old pages, until someone looks.
    root.readerCheck();
    const readerCheck = setInterval(() => root.readerCheck(), READER_CHECK_MS);
    readerCheck.unref();
    return {
      ...databases,
      root,
      isReadOnly,
      durable: durableAt(environmentPath(folder)),
      async close() {
        clearInterval(readerCheck);
        await root.close();
      },
    };
  } catch (error) {
    await root.close();
    throw error;
  }
}
