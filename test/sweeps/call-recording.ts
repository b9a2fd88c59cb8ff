import { basename, dirname } from 'node:path';

/** Where in the order of all records something happened; the end is infinite for a call that never returned. */
interface Span {
  readonly at: number;
  readonly endAt: number;
  /** When it began, ms of a clock that never goes back. */
  readonly ms: number;
}

/** A file or folder has a number of its own, which no other ever gets. */
export interface WriteCall extends Span {
  readonly is: 'write';
  readonly file: number;
  readonly offset: number;
  readonly bytes: Buffer;
  /** Whether these bytes are on disk when it returns. */
  readonly isSynced: boolean;
}

export interface TruncateCall extends Span {
  readonly is: 'truncate';
  readonly file: number;
  readonly size: number;
}

/** Everything written to the file, or every name in the folder, is on disk when it returns. */
interface SyncCall extends Span {
  readonly is: 'sync';
  readonly file: number;
}

/** Bytes that leave the process over TCP, from a port of its own. */
export interface SendCall extends Span {
  readonly is: 'send';
  readonly socket: number;
  readonly port: number;
  readonly bytes: Buffer;
}

export type Entry =
  | { readonly is: 'file'; readonly file: number }
  | { readonly is: 'folder'; readonly file: number }
  | { readonly is: 'link'; readonly to: string }
  | { readonly is: 'socket' };

/** Names of one folder that change together: each gets an entry, or is gone. */
export interface NameCall extends Span {
  readonly is: 'name';
  readonly folder: number;
  readonly names: ReadonlyMap<string, Entry | undefined>;
}

export type Call = WriteCall | TruncateCall | SyncCall | SendCall | NameCall;

export interface Recording {
  readonly calls: readonly Call[];
  /** When each record was made, ms. Their number is the end of the recording. */
  readonly times: readonly number[];
  /** The folder in which everything was recorded. */
  readonly root: number;
}

const KINDS = [
  'none',
  'end',
  'write',
  'truncate',
  'sync',
  'send',
  'create',
  'mkdir',
  'symlink',
  'socket',
  'link',
  'rename',
  'remove',
  'unknown',
] as const;
type Kind = (typeof KINDS)[number];

/** As recording-calls.ts writes it. */
interface Rec {
  readonly kind: Kind;
  readonly id: bigint;
  readonly ms: number;
  readonly inode: number;
  readonly a: number;
  readonly b: number;
  readonly bytes: Buffer;
}

const HEAD_BYTES = 64;

function* recordsIn(recorded: Buffer): Iterable<Rec> {
  for (let offset = 0; offset < recorded.length; ) {
    const start = offset;
    const field = (index: number) => recorded.readBigInt64LE(start + 8 * index);
    const number = (index: number) => Number(field(index));
    const bytes = recorded.subarray(start + HEAD_BYTES, start + HEAD_BYTES + number(6));
    const kind = KINDS[number(0)] ?? 'unknown';
    yield { kind, id: field(1), ms: number(2) / 1e6, inode: number(3), a: number(4), b: number(5), bytes };
    offset += HEAD_BYTES + bytes.length;
  }
}

/** Numbers for files by their inodes, which the system gives again when a file is gone. */
function createFiles(root: string, rootInode: number) {
  let last = 0;
  const byInode = new Map([[rootInode, 0]]);
  const byFolderPath = new Map([[root, 0]]);
  return {
    add(inode: number): number {
      last += 1;
      byInode.set(inode, last);
      return last;
    },
    addFolder(path: string, file: number): void {
      byFolderPath.set(path, file);
    },
    moveFolder(path: string, to: string): void {
      const inside = [...byFolderPath].filter(([each]) => each === path || each.startsWith(`${path}/`));
      for (const [each] of inside) byFolderPath.delete(each);
      for (const [each, file] of inside) byFolderPath.set(to + each.slice(path.length), file);
    },
    of(inode: number): number {
      const file = byInode.get(inode);
      if (file === undefined) throw new Error(`a file that was there before is written to: inode ${inode}`);
      return file;
    },
    folderOf(path: string): number {
      const file = byFolderPath.get(dirname(path));
      if (file === undefined) throw new Error(`the folder of ${path} is not known`);
      return file;
    },
  };
}

/** What was recorded in the folder `root`, which was empty. */
export function parseRecording(recorded: Buffer, root: string, rootInode: number): Recording {
  const files = createFiles(root, rootInode);
  const entries = new Map<string, Entry>();
  const records = [...recordsIn(recorded)];
  const ends = new Map<bigint, { readonly at: number; readonly result: number }>();
  for (const [at, { kind, id, a }] of records.entries()) if (kind === 'end') ends.set(id, { at, result: a });

  function changeNames(span: Span, path: string, names: ReadonlyMap<string, Entry | undefined>): NameCall {
    for (const [name, entry] of names) {
      const each = `${dirname(path)}/${name}`;
      if (entry === undefined) entries.delete(each);
      else entries.set(each, entry);
    }
    return { ...span, is: 'name', folder: files.folderOf(path), names };
  }

  function nameCall({ kind, inode, bytes }: Rec, span: Span): NameCall {
    const [path = '', other = ''] = bytes.toString().split('\0');
    const name = basename(path);
    const one = (entry: Entry | undefined) => changeNames(span, path, new Map([[name, entry]]));
    switch (kind) {
      case 'create':
        return one({ is: 'file', file: files.add(inode) });
      case 'mkdir': {
        const file = files.add(inode);
        files.addFolder(path, file);
        return one({ is: 'folder', file });
      }
      case 'symlink':
        return one({ is: 'link', to: other });
      case 'socket':
        return one({ is: 'socket' });
      case 'remove':
        return one(undefined);
      case 'link':
      case 'rename': {
        const entry = entries.get(path);
        if (entry === undefined || dirname(path) !== dirname(other))
          throw new Error(`cannot follow a ${kind} from ${path} to ${other}`);
        if (kind === 'rename' && entry.is === 'folder') moveEntries(path, other);
        if (kind === 'rename' && entry.is === 'folder') files.moveFolder(path, other);
        const gone = kind === 'rename' ? [[name, undefined] as const] : [];
        return changeNames(
          span,
          path,
          new Map<string, Entry | undefined>([...gone, [basename(other), entry]]),
        );
      }
      default:
        throw new Error(`cannot follow a call of the kind ${kind} on ${path}`);
    }
  }

  function moveEntries(path: string, to: string): void {
    for (const [each, entry] of [...entries]) {
      if (!each.startsWith(`${path}/`)) continue;
      entries.delete(each);
      entries.set(to + each.slice(path.length), entry);
    }
  }

  const calls: Call[] = [];
  for (const [at, record] of records.entries()) {
    const { kind, id, ms, inode, a, b, bytes } = record;
    if (kind === 'end') continue;
    if (!['write', 'truncate', 'sync', 'send'].includes(kind)) {
      calls.push(nameCall(record, { at, endAt: at, ms }));
      continue;
    }
    const end = ends.get(id);
    // Nothing came of a call that failed.
    if (end !== undefined && end.result < 0) continue;
    const span = { at, endAt: end?.at ?? Number.POSITIVE_INFINITY, ms };
    const done = end === undefined ? bytes : bytes.subarray(0, end.result);
    if (kind === 'send') calls.push({ ...span, is: 'send', socket: inode, port: a, bytes: done });
    else if (kind === 'sync') calls.push({ ...span, is: 'sync', file: files.of(inode) });
    else if (kind === 'truncate') calls.push({ ...span, is: 'truncate', file: files.of(inode), size: a });
    else
      calls.push({
        ...span,
        is: 'write',
        file: files.of(inode),
        offset: a,
        bytes: done,
        isSynced: b === 1,
      });
  }
  return { calls, times: records.map(({ ms }) => ms), root: 0 };
}
