import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Database, type Key, open, type RootDatabase } from '#database';
import { KEPT_STREAMS, type StreamName } from '../../../streams/internal.ts';
import { messageOf, StoreError } from '../../errors.ts';
import { takeRights } from '../private-folder.ts';
import { errorCode } from '../system-error.ts';
import { type CheckedRows, checkedAny, checkedBytes, checkedText, openCheckedRows } from './checked-rows.ts';
import { type Durable, durableAt } from './commit.ts';
import { type Damage, isDamageCode, provesDamage, watchDamage } from './damage.ts';
import { DICTIONARY } from './dictionary.ts';
import { beginsAsDatabase } from './file-mark.ts';
import type { KeyShape } from './key-shape.ts';
import { type OpenRoom, openRoom, pagesOf } from './open-room.ts';
import { openBesideWriter, type ReaderOpenings, serveReaderOpenings } from './reader-openings.ts';
import { checkReaderTable, placeReaderTable, removeReaderTable } from './reader-table.ts';
import { missingStore, wasBegun } from './store-traces.ts';
import { createWriteHold, type WriteHold } from './write-hold.ts';
import type { WriteRoom } from './write-room.ts';

/** Raised with every change of how rows are keyed or encoded. */
export const LAYOUT = 4;
/** The layout that is turned into ours when a writer opens it. */
export const LAYOUT_BEFORE = 3;

/**
 * Bytes of address space for the file, which takes no memory. What outgrows its map is mapped anew, and the maps before stay:
 * with the usual one of 128 KB, which is doubled, the pages of the file count as memory of the process twice. The file of a
 * map is made as long as that on Windows.
 */
const MAP_BYTES = process.platform === 'win32' ? undefined : 64 * 1024 ** 3;
const MAX_READERS = 512;
const MAX_DBS = 64;
const READER_CHECK_MS = 60_000;

/** For databases with long or many texts; shorter texts do not gain from it. */
export const COMPRESSION = { threshold: 100, dictionary: DICTIONARY };

/** History of one stream. */
export type History = CheckedRows<string, [seq: number, n: number]>;

/** Account, time of creation, length of the key and the key: keys are decimal ids, of which the longer is the larger. */
export type TimelineKey = [account: string, ...place: (string | number)[]];

export type Timelines = CheckedRows<string, TimelineKey>;

/** Account, or none, and the number of a span of time. */
export type HeadsKey = [account: string, span: number];

export type EventHeads = CheckedRows<string, HeadsKey>;

type AlertKey = [kind: string, rule: string, n: number];

/** All databases, each under its name but the histories. */
interface Parts {
  readonly meta: CheckedRows<string, string>;
  readonly journal: CheckedRows<string, number>;
  /** One per stream, so that every row can be appended at the end. */
  readonly histories: ReadonlyMap<StreamName, History>;
  readonly latest: CheckedRows<string, [stream: string, key: string]>;
  /** The order of each account's posts, which follows from the latest ones. A reader finds none where an older program writes. */
  readonly timelines: Timelines | undefined;
  /** What the latest events are found and dated by. A reader finds none where an older program writes. */
  readonly eventHeads: EventHeads | undefined;
  readonly checkpoints: CheckedRows<string, number>;
  readonly states: CheckedRows<Buffer, [seq: number, part: number]>;
  readonly notes: CheckedRows<string, string>;
  readonly keys: CheckedRows<string, string>;
  readonly calls: CheckedRows<string, number>;
  readonly usage: CheckedRows<string, [keyId: string, span: string, index: number]>;
  readonly usageErrors: CheckedRows<string, [keyId: string, n: number]>;
  readonly waitlist: CheckedRows<string, number>;
  readonly waitlistIndex: CheckedRows<string, string>;
  readonly feed: CheckedRows<string, [topic: string, seq: number]>;
  /** Each holds many rows, under the seq of the last one. */
  readonly feedPacks: CheckedRows<Buffer, [topic: string, seq: number]>;
  readonly feedTopics: CheckedRows<string, string>;
  readonly payments: CheckedRows<string, string>;
  readonly paymentMarks: CheckedRows<string, [mark: string, at: number, id: string]>;
  /** A reader finds none where an older program writes. */
  readonly alerts: CheckedRows<string, AlertKey> | undefined;
}

/** The LMDB environment of a data folder with all its databases open. */
export interface Environment extends Parts {
  readonly root: RootDatabase;
  readonly isReadOnly: boolean;
  readonly durable: Durable;
  readonly damage: Damage;
  onDamage(listener: (error: StoreError) => void): void;
  /** Room for writes; a reader has none. */
  readonly room: WriteRoom | undefined;
  /** Bytes of the file that are in use. */
  usedBytes(): number;
  /** The inode, which a copy of the file does not share. */
  readonly fileId: number;
  close(): Promise<void>;
}

export function environmentPath(folder: string): string {
  return join(folder, 'db');
}

/** A file of no length is none: LMDB would begin an empty store in it. */
export function hasEnvironment(folder: string): boolean {
  return isEnvironment(environmentPath(folder));
}

const NOT_A_DATABASE = 'its file data.mdb does not begin as one of a database does';

function isEnvironment(path: string): boolean {
  const file = join(path, 'data.mdb');
  return existsSync(file) && statSync(file).size > 0;
}

export function openRoot(path: string, isReadOnly: boolean): RootDatabase {
  try {
    // A RangeError proves damage, as one does that is thrown while rows are read.
    if (isEnvironment(path) && !beginsAsDatabase(join(path, 'data.mdb')))
      throw new RangeError(NOT_A_DATABASE);
    const root = open({
      path,
      // The default trusts commits that were never flushed when it finds the boot id unchanged, and lost
      // data in modelled crashes; without it a write resolves after LMDB's own fsync.
      overlappingSync: false,
      readOnly: isReadOnly,
      ...(MAP_BYTES !== undefined && { mapSize: MAP_BYTES }),
      maxReaders: MAX_READERS,
      maxDbs: MAX_DBS,
      noSubdir: false,
      encoding: 'string',
      compression: COMPRESSION,
    });
    for (const name of ['data.mdb', 'lock.mdb']) takeRights(join(path, name));
    return root;
  } catch (cause) {
    const isBroken = provesDamage(cause);
    throw new StoreError(
      isBroken ? 'STORE_BROKEN' : 'STORE_UNWRITABLE',
      isBroken
        ? `the store in ${path} cannot be opened: ${messageOf(cause)}`
        : `cannot use the store in ${path}: ${messageOf(cause)}`,
      { cause },
    );
  }
}

/** How the rows of a database lie there. */
interface Form {
  readonly values: 'text' | 'compressed text' | 'bytes';
  readonly keys: KeyShape;
}

/** All but the histories. Long or many texts are compressed. Frames are not: a row is soon in a pack or gone, and readers wait. */
const FORMS: ReadonlyMap<string, Form> = new Map(
  Object.entries({
    meta: { values: 'text', keys: 'string' },
    journal: { values: 'compressed text', keys: 'number' },
    latest: { values: 'compressed text', keys: ['string', 'string'] },
    timelines: { values: 'text', keys: ['string', 'number', 'number', 'string'] },
    eventHeads: { values: 'text', keys: ['string', 'number'] },
    checkpoints: { values: 'text', keys: 'number' },
    states: { values: 'bytes', keys: ['number', 'number'] },
    notes: { values: 'text', keys: 'string' },
    keys: { values: 'text', keys: 'string' },
    calls: { values: 'text', keys: 'number' },
    usage: { values: 'text', keys: ['string', 'string', 'number'] },
    usageErrors: { values: 'text', keys: ['string', 'number'] },
    waitlist: { values: 'text', keys: 'number' },
    waitlistIndex: { values: 'text', keys: 'string' },
    feed: { values: 'text', keys: ['string', 'number'] },
    feedPacks: { values: 'bytes', keys: ['string', 'number'] },
    feedTopics: { values: 'text', keys: 'string' },
    payments: { values: 'compressed text', keys: 'string' },
    paymentMarks: { values: 'text', keys: ['string', 'number', 'string'] },
    alerts: { values: 'text', keys: ['string', 'string', 'number'] },
  } satisfies Record<Exclude<keyof Parts, 'histories'>, Form>),
);

const FORM_OF_HISTORIES: Form = { values: 'compressed text', keys: ['number', 'number'] };

function formOf(name: string): Form {
  return FORMS.get(name) ?? FORM_OF_HISTORIES;
}

export function keysOf(name: string): KeyShape {
  return formOf(name).keys;
}

/** Follows from the latest posts, so that it need not be copied. */
export const TIMELINES = 'timelines';

/** Follows from the latest events. */
export const EVENT_HEADS = 'eventHeads';

const ALERTS = 'alerts';
const LATER_PARTS = [TIMELINES, EVENT_HEADS, ALERTS];

/** Those that every store of this layout has had from its beginning. */
const FIXED_PARTS = [...FORMS.keys()].filter((name) => !LATER_PARTS.includes(name));

/** The names of all databases. */
export const PART_NAMES: readonly string[] = [
  ...FORMS.keys(),
  ...KEPT_STREAMS.map((stream) => `history.${stream}`),
];

/** The compression is that of the root. */
function optionsOf(name: string) {
  const { values } = formOf(name);
  return {
    name,
    encoding: values === 'bytes' ? 'binary' : 'string',
    compression: values === 'compressed text',
  } as const;
}

/** A database as it lies there, its rows with their checksums. Undefined where a reader finds none. */
export function openPlain(root: RootDatabase, name: string): Database<string | Buffer, Key> | undefined {
  return root.openDB<string | Buffer, Key>(optionsOf(name));
}

/** A database by its name, whatever its keys. */
export function openAnyRows(
  root: RootDatabase,
  name: string,
  damage: Damage,
): CheckedRows<string | Buffer, Key> | undefined {
  const database = openPlain(root, name);
  return database && openCheckedRows({ name, database, codec: checkedAny, keys: keysOf(name), damage });
}

function openParts(root: RootDatabase, damage: Damage): Parts {
  function texts<K extends Key>(name: string): CheckedRows<string, K> {
    const database: Database<string, K> | undefined = root.openDB<string, K>(optionsOf(name));
    if (database === undefined) throw damage(name, `${name} cannot be found`);
    return openCheckedRows({ name, database, codec: checkedText, keys: keysOf(name), damage });
  }
  function bytes<K extends Key>(name: string): CheckedRows<Buffer, K> {
    const database: Database<Buffer, K> | undefined = root.openDB<Buffer, K>(optionsOf(name));
    if (database === undefined) throw damage(name, `${name} cannot be found`);
    return openCheckedRows({ name, database, codec: checkedBytes, keys: keysOf(name), damage });
  }
  return {
    meta: texts('meta'),
    journal: texts('journal'),
    histories: openHistories(root, damage),
    latest: texts('latest'),
    timelines: openTimelines(root, damage),
    eventHeads: openEventHeads(root, damage),
    checkpoints: texts('checkpoints'),
    states: bytes('states'),
    notes: texts('notes'),
    keys: texts('keys'),
    calls: texts('calls'),
    usage: texts('usage'),
    usageErrors: texts('usageErrors'),
    waitlist: texts('waitlist'),
    waitlistIndex: texts('waitlistIndex'),
    feed: texts('feed'),
    feedPacks: bytes('feedPacks'),
    feedTopics: texts('feedTopics'),
    payments: texts('payments'),
    paymentMarks: texts('paymentMarks'),
    alerts: openAlertRows(root, damage),
  };
}

/** A stream has no database here when an older program, which does not know the stream, is the writer. */
function openHistories(root: RootDatabase, damage: Damage): ReadonlyMap<StreamName, History> {
  const histories = new Map<StreamName, History>();
  for (const stream of KEPT_STREAMS) {
    const name = `history.${stream}`;
    const database: Database<string, [number, number]> | undefined = root.openDB(optionsOf(name));
    if (database === undefined) continue;
    const rows = openCheckedRows({ name, database, codec: checkedText, keys: keysOf(name), damage });
    histories.set(stream, rows);
  }
  return histories;
}

function openTimelines(root: RootDatabase, damage: Damage): Timelines | undefined {
  const database: Database<string, TimelineKey> | undefined = root.openDB(optionsOf(TIMELINES));
  return (
    database &&
    openCheckedRows({ name: TIMELINES, database, codec: checkedText, keys: keysOf(TIMELINES), damage })
  );
}

function openEventHeads(root: RootDatabase, damage: Damage): EventHeads | undefined {
  const database: Database<string, HeadsKey> | undefined = root.openDB(optionsOf(EVENT_HEADS));
  return (
    database &&
    openCheckedRows({ name: EVENT_HEADS, database, codec: checkedText, keys: keysOf(EVENT_HEADS), damage })
  );
}

function openAlertRows(root: RootDatabase, damage: Damage): Parts['alerts'] {
  const database: Database<string, AlertKey> | undefined = root.openDB(optionsOf(ALERTS));
  return (
    database && openCheckedRows({ name: ALERTS, database, codec: checkedText, keys: keysOf(ALERTS), damage })
  );
}

type Found =
  /** `unnamed` has no database under a name of ours: it is of another program, or the names are lost. */
  | { readonly is: 'ours' | 'before' | 'unnamed' }
  | { readonly is: 'other'; readonly layout: string }
  /** `missing` are the names of databases that cannot be found. */
  | { readonly is: 'damaged'; readonly message: string; readonly missing: readonly string[] };

const LAYOUT_ROW = 'layout';

/** Creates nothing. A store is begun with its layout and all its databases, so one without is none of ours or damaged. */
export function findLayout(root: RootDatabase): Found {
  const names = [...root.getKeys()].map(String);
  const plain = names.includes('meta') ? root.openDB<string, string>(optionsOf('meta')) : undefined;
  const stored = plain?.get(LAYOUT_ROW);
  if (plain === undefined || stored === undefined) {
    const isOurs = names.includes('journal');
    return isOurs
      ? { is: 'damaged', message: 'meta: the layout number is gone', missing: missingIn(names) }
      : { is: 'unnamed' };
  }
  if (stored === String(LAYOUT_BEFORE)) return { is: 'before' };
  if (/^\d{1,3}$/.test(stored)) return { is: 'other', layout: `layout ${stored}` };
  const { damage } = watchDamage();
  const meta = openCheckedRows({
    name: 'meta',
    database: plain,
    codec: checkedText,
    keys: keysOf('meta'),
    damage,
  });
  const [row] = meta.inspect({ start: LAYOUT_ROW, limit: 1 });
  const missing = missingIn(names);
  if (row?.value === undefined)
    return { is: 'damaged', message: 'meta: the layout number is damaged', missing };
  if (row.value !== String(LAYOUT)) return { is: 'other', layout: `layout ${row.value}` };
  return missing.length === 0
    ? { is: 'ours' }
    : { is: 'damaged', message: `${missing.join(', ')} cannot be found`, missing };
}

function missingIn(names: readonly string[]): readonly string[] {
  return FIXED_PARTS.filter((name) => !names.includes(name));
}

/** Only one that was begun by us has lost its names. */
export function hasLostNames(found: Found, path: string): boolean {
  return found.is === 'unnamed' && wasBegun(dirname(path));
}

export const LOST_NAMES = 'meta: the names of all parts are lost';

function refuse(found: Found, folder: string, path: string, damage: Damage): StoreError {
  if (found.is === 'damaged') return damage('meta', found.message);
  if (hasLostNames(found, path)) return damage('meta', LOST_NAMES);
  const has = `the store in ${folder} has ${layoutOf(found)}`;
  const remedy = 'start the service on it once, which turns it into that';
  return new StoreError(
    'STORE_LAYOUT',
    `${has}, expected layout ${LAYOUT}${found.is === 'before' ? `: ${remedy}` : ''}`,
  );
}

export function layoutOf(found: Found): string {
  if (found.is === 'other') return found.layout;
  return found.is === 'before' ? `layout ${LAYOUT_BEFORE}` : 'no layout number';
}

/** Writes an environment without rows into the folder `path`. */
export async function createEnvironment(path: string): Promise<void> {
  const root = openRoot(path, false);
  let opened: OpenRoom | undefined;
  try {
    opened = await openRoom(root, path, PART_NAMES, 0);
    const { meta } = openParts(root, watchDamage().damage);
    meta.putSync(LAYOUT_ROW, String(LAYOUT));
  } finally {
    await root.close();
    await opened?.close();
  }
}

/** Whether another process reads the environment. The list has a heading, then a line for each reader with its process. */
function isReadElsewhere(root: RootDatabase): boolean {
  const pids = [...root.readerList().matchAll(/^\s*(\d+) /gm)].map(([, pid]) => Number(pid));
  return pids.some((pid) => pid !== process.pid);
}

async function isEnvironmentRead(path: string): Promise<boolean> {
  const root = openRoot(path, false);
  try {
    return isReadElsewhere(root);
  } finally {
    await root.close();
  }
}

/** A write that fails because the file is damaged fails again however often it is tried. */
function tellingDamage(durable: Durable, damage: Damage): Durable {
  return async (begin, what, size) => {
    try {
      return await durable(begin, what, size);
    } catch (error) {
      const cause = error instanceof StoreError ? error.cause : undefined;
      throw isDamageCode(errorCode(cause)) ? damage('meta', `cannot write ${what}`, cause) : error;
    }
  };
}

interface OpenOptions {
  readonly isReadOnly: boolean;
  /** The environment's own folder, where it is not `db` of the data folder. */
  readonly path?: string;
  /** While less than this is free on the disk, nothing is written. */
  readonly reserveBytes?: number;
}

/** What a writer has besides the environment itself. */
interface Writing {
  readonly writes: WriteHold;
  readonly openings: ReaderOpenings | undefined;
  readonly reserveBytes: number;
}

/** Opens the environment under `folder`. */
export async function openEnvironment(
  folder: string,
  { isReadOnly, path = environmentPath(folder), reserveBytes = 0 }: OpenOptions,
): Promise<Environment> {
  if (!isEnvironment(path)) throw missingStore(folder);
  if (isReadOnly) {
    await checkReaderTable(path);
    const root = await openForReading(path);
    return openOn(root, folder, path);
  }
  await placeReaderTable(path, () => isEnvironmentRead(path));
  const writes = createWriteHold();
  // Others have no readers while they are written.
  const isInUse = path === environmentPath(folder);
  const openings = isInUse ? await serveReaderOpenings(folder, writes) : undefined;
  try {
    // To open it is a write too: readers wait for its end.
    return await writes.write(async () =>
      openOn(openRoot(path, false), folder, path, { writes, openings, reserveBytes }),
    );
  } catch (error) {
    await openings?.close();
    throw error;
  }
}

/** Opens the environment at `path`, which another process may be writing to. */
export function openForReading(path: string): Promise<RootDatabase> {
  return openBesideWriter(dirname(path), () => openRoot(path, true));
}

async function openOn(
  root: RootDatabase,
  folder: string,
  path: string,
  writing?: Writing,
): Promise<Environment> {
  const isReadOnly = writing === undefined;
  const { damage, onDamage } = watchDamage();
  let opened: OpenRoom | undefined;
  const close = async () => {
    const isTableKept = isReadOnly || isReadElsewhere(root);
    await root.close();
    await opened?.close();
    if (!isTableKept) removeReaderTable(path);
  };
  try {
    const found = findLayout(root);
    if (found.is !== 'ours') throw refuse(found, folder, path, damage);
    if (writing !== undefined) opened = await openRoom(root, path, PART_NAMES, writing.reserveBytes);
    const parts = openParts(root, damage);
    // A killed reader keeps its slot, and with it old pages, until someone looks.
    root.readerCheck();
    const readerCheck = setInterval(() => root.readerCheck(), READER_CHECK_MS);
    readerCheck.unref();
    const durable = tellingDamage(durableAt(path, opened?.room), damage);
    return {
      ...parts,
      root,
      isReadOnly,
      damage,
      onDamage,
      durable: writing
        ? (begin, what, size) => writing.writes.write(() => durable(begin, what, size))
        : durable,
      room: opened?.room,
      usedBytes() {
        const { pageSize, used } = pagesOf(root);
        return pageSize * used;
      },
      fileId: statSync(join(path, 'data.mdb')).ino,
      async close() {
        clearInterval(readerCheck);
        await opened?.room.begun();
        await close();
        await writing?.openings?.close();
      },
    };
  } catch (error) {
    await close();
    if (error instanceof StoreError || !provesDamage(error)) throw error;
    throw damage('meta', 'the names of the databases cannot be read', error);
  }
}
