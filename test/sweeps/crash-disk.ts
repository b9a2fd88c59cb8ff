import type { Call, Entry, NameCall, Recording, TruncateCall, WriteCall } from './call-recording.ts';

/** The least that a disk writes whole. */
const SECTOR = 512;
const PAGE = 4_096;

/**
 * What a disk kept of the writes that were not synced. `everything` is what a kill leaves. All others mix the order:
 * whatever is kept, something written before it may be lost.
 */
export const MOODS = [
  'nothing',
  'everything',
  'some writes',
  'some pages',
  'some sectors',
  'all but a torn one',
  'only the last',
] as const;
export type Mood = (typeof MOODS)[number];

export interface PowerCut {
  /** The records before this one happened. */
  readonly at: number;
  readonly mood: Mood;
  /** Numbers in [0, 1). */
  readonly random: () => number;
  /** How many records back a sync was not honoured after all, as by a disk that lies; 0 for an honest one. */
  readonly liesFor: number;
}

type ImageEntry =
  | { readonly is: 'folder' }
  | { readonly is: 'file'; readonly file: number; readonly bytes: Buffer }
  | { readonly is: 'link'; readonly to: string }
  | { readonly is: 'socket' };

/** What a disk holds after a power cut. */
export interface Image {
  /** By path from the recorded folder, each folder before what is in it. */
  readonly entries: ReadonlyMap<string, ImageEntry>;
  readonly droppedWrites: number;
  readonly tornPages: number;
  readonly droppedNames: number;
  /** Since the first write that came after the last commit which was kept, ms; 0 without such a write. */
  readonly lossMs: number;
}

type FileCall = WriteCall | TruncateCall;

interface FileContent extends Pick<Image, 'droppedWrites' | 'tornPages' | 'lossMs'> {
  readonly bytes: Buffer;
}

/** What survives a sync that began after it returned, and itself returned before the cut. */
function createSynced(calls: readonly Call[], trustedTo: number) {
  const lastOf = new Map<number, number>();
  for (const call of calls)
    if (call.is === 'sync' && call.endAt < trustedTo)
      lastOf.set(call.file, Math.max(call.at, lastOf.get(call.file) ?? 0));
  return (file: number, endAt: number) => endAt < (lastOf.get(file) ?? 0);
}

/** Builds what is on disk when the power is cut. */
export function imageAfter({ calls, times, root }: Recording, cut: PowerCut): Image {
  const happened = calls.filter(({ at }) => at < cut.at);
  const trustedTo = cut.at - cut.liesFor;
  const isSynced = createSynced(happened, trustedTo);
  const cutMs = times[cut.at - 1] ?? 0;
  const byFile = new Map<number, FileCall[]>();
  const byFolder = new Map<number, NameCall[]>();
  for (const call of happened) {
    if (call.is === 'write' || call.is === 'truncate') addTo(byFile, call.file, call);
    if (call.is === 'name') addTo(byFolder, call.folder, call);
  }
  const isOnDisk = (call: FileCall) =>
    isSynced(call.file, call.endAt) || (call.is === 'write' && call.isSynced && call.endAt < trustedTo);
  const entries = new Map<string, ImageEntry>();
  const totals = { droppedWrites: 0, tornPages: 0, droppedNames: 0, lossMs: 0 };

  function addFile(path: string, file: number): void {
    const { bytes, ...found } = contentOf(byFile.get(file) ?? [], isOnDisk, cut, cutMs);
    totals.droppedWrites += found.droppedWrites;
    totals.tornPages += found.tornPages;
    totals.lossMs = Math.max(totals.lossMs, found.lossMs);
    entries.set(path, { is: 'file', file, bytes });
  }

  function addFolder(path: string, folder: number): void {
    const changes = byFolder.get(folder) ?? [];
    const kept = keptNames(changes, (call) => isSynced(call.folder, call.endAt), cut);
    totals.droppedNames += changes.length - kept.length;
    const names = new Map<string, Entry>();
    for (const change of kept)
      for (const [name, entry] of change.names)
        if (entry === undefined) names.delete(name);
        else names.set(name, entry);
    for (const [name, entry] of names) {
      const inside = path === '' ? name : `${path}/${name}`;
      if (entry.is === 'file') addFile(inside, entry.file);
      else if (entry.is === 'folder') {
        entries.set(inside, { is: 'folder' });
        addFolder(inside, entry.file);
      } else entries.set(inside, entry);
    }
  }

  addFolder('', root);
  return { entries, ...totals };
}

function addTo<T>(map: Map<number, T[]>, key: number, value: T): void {
  const found = map.get(key);
  if (found === undefined) map.set(key, [value]);
  else found.push(value);
}

/** File systems keep the order of changes to a folder: those that are lost are the last. */
function keptNames(
  changes: readonly NameCall[],
  isSynced: (change: NameCall) => boolean,
  { mood, random }: PowerCut,
): readonly NameCall[] {
  const synced = changes.findLastIndex(isSynced) + 1;
  const pending = changes.length - synced;
  if (mood === 'everything') return changes;
  return changes.slice(0, synced + (mood === 'nothing' ? 0 : Math.floor(random() * (pending + 1))));
}

/** Whether a sector of a write that was not synced is kept. */
type Keep = (write: WriteCall, sector: number) => boolean;

function keeping({ mood, random }: PowerCut, pending: readonly WriteCall[]): Keep {
  const share = 0.05 + 0.9 * random();
  const isLikely = () => random() < share;
  switch (mood) {
    case 'nothing':
      return () => false;
    case 'everything':
      return () => true;
    case 'some sectors':
      return isLikely;
    case 'some writes':
      return remembering((write) => `${write.at}`, isLikely);
    case 'some pages':
      return remembering((write, sector) => `${write.at} ${Math.floor((sector * SECTOR) / PAGE)}`, isLikely);
    case 'only the last': {
      const first = pending[Math.floor(random() * pending.length)];
      return (write) => first !== undefined && write.at >= first.at;
    }
    case 'all but a torn one': {
      const torn = pending[Math.floor(random() * pending.length)];
      const border = torn ? sectorOf(torn.offset + Math.floor(random() * torn.bytes.length)) : 0;
      const isFirstKept = random() < 0.5;
      return (write, sector) => write !== torn || sector < border === isFirstKept;
    }
  }
}

function remembering(nameOf: (write: WriteCall, sector: number) => string, draw: () => boolean): Keep {
  const drawn = new Map<string, boolean>();
  return (write, sector) => {
    const name = nameOf(write, sector);
    const known = drawn.get(name) ?? draw();
    drawn.set(name, known);
    return known;
  };
}

function sectorOf(offset: number): number {
  return Math.floor(offset / SECTOR);
}

function sectorsOf({ offset, bytes }: WriteCall): readonly number[] {
  if (bytes.length === 0) return [];
  const first = sectorOf(offset);
  return Array.from({ length: sectorOf(offset + bytes.length - 1) - first + 1 }, (_, index) => first + index);
}

function contentOf(
  calls: readonly FileCall[],
  isOnDisk: (call: FileCall) => boolean,
  cut: PowerCut,
  cutMs: number,
): FileContent {
  const isCutShort = calls.some((call) => call.is === 'truncate' && !isOnDisk(call));
  return isCutShort ? contentInOrder(calls, isOnDisk, cut) : mixedContent(calls, isOnDisk, cut, cutMs);
}

/** A file that is written anew is kept up to one of its calls, as these small ones are written at once. */
function contentInOrder(
  calls: readonly FileCall[],
  isOnDisk: (call: FileCall) => boolean,
  { mood, random }: PowerCut,
): FileContent {
  const synced = calls.findLastIndex(isOnDisk) + 1;
  const pending = calls.length - synced;
  const drawn = mood === 'nothing' ? 0 : Math.floor(random() * (pending + 1));
  const kept = calls.slice(0, mood === 'everything' ? calls.length : synced + drawn);
  const file = openBuffer(calls);
  for (const call of kept) {
    if (call.is === 'truncate') file.resize(call.size);
    else file.write(call.bytes, call.offset);
  }
  return { bytes: file.bytes(), droppedWrites: calls.length - kept.length, tornPages: 0, lossMs: 0 };
}

/**
 * Every sector holds what it held after one of the writes to it, from the last that is on disk on: that is all that is
 * known of a system which writes what is not synced back whenever and in whatever order it likes.
 */
function mixedContent(
  calls: readonly FileCall[],
  isOnDisk: (call: FileCall) => boolean,
  cut: PowerCut,
  cutMs: number,
): FileContent {
  const file = openBuffer(calls);
  const pending = calls.filter((call): call is WriteCall => call.is === 'write' && !isOnDisk(call));
  const keep = keeping(cut, pending);
  const certainTo = new Map<number, number>();
  for (const call of calls)
    if (call.is === 'write' && call.isSynced && isOnDisk(call))
      for (const sector of sectorsOf(call)) certainTo.set(sector, call.at);
  /** Sectors that were not written back any more. */
  const left = new Set<number>();
  const hasCommits = calls.some((call) => call.is === 'write' && call.isSynced);
  let droppedWrites = 0;
  let tornPages = 0;
  let firstLost: WriteCall | undefined;
  let fullSize = 0;
  for (const call of calls) {
    if (call.is === 'truncate') {
      file.resize(call.size);
      fullSize = call.size;
      continue;
    }
    fullSize = Math.max(fullSize, call.offset + call.bytes.length);
    if (isOnDisk(call)) {
      file.write(call.bytes, call.offset);
      if (call.isSynced) firstLost = undefined;
      continue;
    }
    const sectors = sectorsOf(call);
    const kept = sectors.filter((sector) => {
      const isCertain = call.at <= (certainTo.get(sector) ?? -1);
      if (isCertain || (!left.has(sector) && keep(call, sector))) return true;
      left.add(sector);
      return false;
    });
    for (const sector of kept) {
      const from = Math.max(sector * SECTOR, call.offset);
      const to = Math.min((sector + 1) * SECTOR, call.offset + call.bytes.length);
      file.write(call.bytes.subarray(from - call.offset, to - call.offset), from);
    }
    if (kept.length === 0) droppedWrites += 1;
    tornPages += tornIn(sectors, kept);
    // A commit is there when the write that names it is.
    if (call.isSynced && kept.length > 0) firstLost = undefined;
    else firstLost ??= call;
  }
  // The size of a file is written apart from what is in it.
  if (cut.mood !== 'nothing' && cut.random() < 0.5) file.resize(Math.max(file.size(), fullSize));
  return {
    bytes: file.bytes(),
    droppedWrites,
    tornPages,
    lossMs: firstLost === undefined || !hasCommits ? 0 : cutMs - firstLost.ms,
  };
}

function tornIn(sectors: readonly number[], kept: readonly number[]): number {
  if (kept.length === 0 || kept.length === sectors.length) return 0;
  const pageOf = (sector: number) => Math.floor((sector * SECTOR) / PAGE);
  const there = new Set(kept);
  const touched = new Set(kept.map(pageOf));
  const torn = sectors.filter((sector) => !there.has(sector) && touched.has(pageOf(sector)));
  return new Set(torn.map(pageOf)).size;
}

/** The content of a file: what was never written reads as zeros. */
function openBuffer(calls: readonly FileCall[]) {
  const most = calls.reduce(
    (end, call) => Math.max(end, call.is === 'write' ? call.offset + call.bytes.length : call.size),
    0,
  );
  const content = Buffer.alloc(most);
  let size = 0;
  return {
    write(bytes: Buffer, offset: number) {
      bytes.copy(content, offset);
      size = Math.max(size, offset + bytes.length);
    },
    resize(to: number) {
      content.fill(0, Math.min(to, size));
      size = to;
    },
    size: () => size,
    bytes: () => content.subarray(0, size),
  };
}
