import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, type Key, open, type RootDatabase } from '#database';
import { KEPT_STREAMS, type StreamName } from '../../../streams/internal.ts';
import { StoreError } from '../../errors.ts';
import { makeFolder } from '../make-folder.ts';
import { describe, errorCode } from '../system-error.ts';
import { type Durable, durableAt } from './commit.ts';
import { DICTIONARY } from './dictionary.ts';

/** Raised with every change of how rows are keyed or encoded. */
export const LAYOUT = 3;

const MAX_READERS = 512;
const MAX_DBS = 64;
const READER_CHECK_MS = 60_000;

/** For databases with long or many texts; shorter texts do not gain from it. */
export const COMPRESSION = { threshold: 100, dictionary: DICTIONARY };

/** History of one stream. */
export type History = Database<string, [seq: number, n: number]>;

/** The LMDB environment of a data folder with all its databases open. */
export interface Environment {
  readonly root: RootDatabase;
  readonly isReadOnly: boolean;
  readonly durable: Durable;
  /** The inode, which a copy of the file does not share. */
  readonly fileId: number;
  readonly meta: Database<string, string>;
  readonly journal: Database<string, number>;
  /** One per stream, so that every row can be appended at the end. */
  readonly histories: ReadonlyMap<StreamName, History>;
  readonly latest: Database<string, [stream: string, key: string]>;
  readonly checkpoints: Database<string, number>;
  readonly states: Database<Buffer, [seq: number, part: number]>;
  readonly notes: Database<string, string>;
  readonly keys: Database<string, string>;
  readonly calls: Database<string, number>;
  readonly usage: Database<string, [keyId: string, span: string, index: number]>;
  readonly usageErrors: Database<string, [keyId: string, n: number]>;
  readonly waitlist: Database<string, number>;
  readonly waitlistIndex: Database<string, string>;
  readonly feed: Database<string, [topic: string, seq: number]>;
  /** Each holds many rows, under the seq of the last one. */
  readonly feedPacks: Database<Buffer, [topic: string, seq: number]>;
  readonly feedTopics: Database<string, string>;
  readonly payments: Database<string, string>;
  readonly paymentMarks: Database<string, [mark: string, at: number, id: string]>;
  close(): Promise<void>;
}

export function environmentPath(folder: string): string {
  return join(folder, 'db');
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
      compression: COMPRESSION,
    });
  } catch (cause) {
    const code = errorCode(cause);
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

/** `isCompressed` takes the compression of the root. */
function openTexts<K extends Key>(
  root: RootDatabase,
  name: string,
  isCompressed = false,
): Database<string, K> {
  return root.openDB<string, K>({ name, encoding: 'string', compression: isCompressed });
}

function openBytes<K extends Key>(root: RootDatabase, name: string): Database<Buffer, K> {
  return root.openDB<Buffer, K>({ name, encoding: 'binary', compression: false });
}

interface Appendable<K> {
  // The library's types lack this option for writes in the background.
  put(key: K, text: string, options: { readonly append: true }): PromiseLike<boolean>;
}

/** Puts a row after all others, which fills pages to their end instead of leaving room for keys in between. */
export function putLast<K>(database: Appendable<K>, key: K, text: string): PromiseLike<boolean> {
  return database.put(key, text, { append: true });
}

/** A stream has no database here when an older program, which does not know the stream, is the writer. */
function openHistories(root: RootDatabase): ReadonlyMap<StreamName, History> {
  const histories = new Map<StreamName, History>();
  for (const stream of KEPT_STREAMS) {
    const history: History | undefined = openTexts(root, `history.${stream}`, true);
    if (history !== undefined) histories.set(stream, history);
  }
  return histories;
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
      latest: openTexts<[string, string]>(root, 'latest', true),
      checkpoints: openTexts<number>(root, 'checkpoints'),
      states: openBytes<[number, number]>(root, 'states'),
      notes: openTexts<string>(root, 'notes'),
      keys: openTexts<string>(root, 'keys'),
      calls: openTexts<number>(root, 'calls'),
      usage: openTexts<[string, string, number]>(root, 'usage'),
      usageErrors: openTexts<[string, number]>(root, 'usageErrors'),
      waitlist: openTexts<number>(root, 'waitlist'),
      waitlistIndex: openTexts<string>(root, 'waitlistIndex'),
      // Not compressed: a row is soon in a pack or gone, and readers wait for it.
      feed: openTexts<[string, number]>(root, 'feed'),
      feedPacks: openBytes<[string, number]>(root, 'feedPacks'),
      feedTopics: openTexts<string>(root, 'feedTopics'),
      payments: openTexts<string>(root, 'payments', true),
      paymentMarks: openTexts<[string, number, string]>(root, 'paymentMarks'),
    };
    // Undefined, against its type, where a reader opens before the writer has created all databases.
    const all: unknown[] = Object.values(databases);
    if (all.includes(undefined)) {
      const remedy = 'start the service on it once';
      throw new StoreError('STORE_MISSING', `the store in ${folder} lacks parts of this version: ${remedy}`);
    }
    const histories = openHistories(root);
    // A killed reader keeps its slot, and with it old pages, until someone looks.
    root.readerCheck();
    const readerCheck = setInterval(() => root.readerCheck(), READER_CHECK_MS);
    readerCheck.unref();
    return {
      ...databases,
      histories,
      root,
      isReadOnly,
      durable: durableAt(environmentPath(folder)),
      fileId: statSync(join(environmentPath(folder), 'data.mdb')).ino,
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
