import { StoreError } from '../../errors.ts';
import { isDiskFull } from '../system-error.ts';
import type { SparePages } from './spare-pages.ts';
import { pagesNeeded, type WriteSize } from './write-size.ts';

/** Kept for a stop: twice the largest write, within these bounds. */
const LEAST_RESERVED_PAGES = 256;
const MOST_RESERVED_PAGES = 4_096;
/** Added beyond what a write needs, so that few writes have to wait for more. */
const LEAST_STEP_PAGES = 256;
const MOST_STEP_PAGES = 2_048;
const STEPS_OF_USED = 16;

/** Between two looks at the free space. It is looked at after a write, for the next one. */
const LOOK_MS = 100;

/** A write under way for longer than this is one that the disk does not take, and others are refused meanwhile. */
const STALLED_MS = 10_000;

interface WriteRoomDeps {
  readonly pages: SparePages;
  readonly pageSize: number;
  /** Pages in use as of the last commit. */
  readonly usedPages: () => number;
  /** What may still be written to the disk, in bytes. */
  readonly freeBytes: () => Promise<number>;
  /** Below this the disk counts as full. */
  readonly reserveBytes: number;
  /** Ms, never goes back. */
  readonly now: () => number;
}

/** Lets a write begin only when it cannot meet a full disk. */
export interface WriteRoom {
  /**
   * Calls `begin`, at once if there is room, or else once there is, in the order of the calls. Rejects with `STORE_FULL`
   * or `STORE_STALLED` without having called it.
   */
  run<T>(begin: () => PromiseLike<T>, what: string, size: WriteSize): Promise<T>;
  /** Ms that the oldest unfinished write has been under way, also one that waits for room; 0 without one. */
  unfinishedMs(): number;
  /** Resolves once every write so far has begun or was refused. */
  begun(): Promise<void>;
  /** Whether writes may use up what is kept back. */
  allowReserve(isAllowed: boolean): void;
}

export async function openWriteRoom(deps: WriteRoomDeps): Promise<WriteRoom> {
  const { pages, pageSize, reserveBytes, now } = deps;
  let usedPages = deps.usedPages();
  /** Bounds on what was taken since the look at the pages in use, and on what is being taken. */
  let takenPages = 0;
  let takingPages = 0;
  let largestPages = 0;
  let freeBytes = Number.POSITIVE_INFINITY;
  let isReserveAllowed = false;
  let looking: Promise<void> | undefined;
  let lookedAtMs = 0;
  let queued = 0;
  let lastQueued: Promise<unknown> = Promise.resolve();
  const unfinished = new Set<{ readonly sinceMs: number }>();

  /** One at a time: a disk that does not answer must not collect questions. */
  function look(): Promise<void> {
    lookedAtMs = now();
    looking ??= deps
      .freeBytes()
      .then(
        (bytes) => {
          freeBytes = bytes;
        },
        // An unknown disk is no reason to stop: a file system that cannot tell has no such limit.
        () => undefined,
      )
      .finally(() => {
        looking = undefined;
      });
    return looking;
  }

  const isShort = () => freeBytes < reserveBytes && !isReserveAllowed;
  const reservedPages = () =>
    isReserveAllowed ? 0 : Math.min(MOST_RESERVED_PAGES, Math.max(LEAST_RESERVED_PAGES, 2 * largestPages));
  const neededTotal = (forWrite: number) => usedPages + takenPages + takingPages + forWrite + reservedPages();

  function fits(forWrite: number): boolean {
    if (neededTotal(forWrite) <= pages.total) return true;
    usedPages = deps.usedPages();
    takenPages = 0;
    return neededTotal(forWrite) <= pages.total;
  }

  async function grow(forWrite: number, what: string): Promise<void> {
    await look();
    const needed = neededTotal(forWrite);
    const step = Math.min(MOST_STEP_PAGES, Math.max(LEAST_STEP_PAGES, Math.ceil(usedPages / STEPS_OF_USED)));
    const spareBytes = isReserveAllowed ? freeBytes : freeBytes - reserveBytes;
    // The total is 0 while the file has holes, but pages in use have their place.
    const affordable = Math.max(pages.total, usedPages) + Math.floor(spareBytes / pageSize);
    if (needed > affordable) throw full(what);
    try {
      await pages.growTo(Math.min(needed + step, affordable));
    } catch (cause) {
      if (pages.total >= needed) return;
      if (isDiskFull(cause)) throw full(what, cause);
      throw cause;
    }
  }

  async function admit(forWrite: number, what: string): Promise<void> {
    if (isShort()) await look();
    if (isShort()) throw full(what);
    if (!fits(forWrite)) await grow(forWrite, what);
  }

  function start<T>(
    begin: () => PromiseLike<T>,
    forWrite: number,
    since: { readonly sinceMs: number },
  ): Promise<T> {
    // Counted also when it fails: the next look at the pages in use tells what it really took.
    const end = () => {
      takingPages -= forWrite;
      takenPages += forWrite;
      unfinished.delete(since);
      if (now() - lookedAtMs >= LOOK_MS) void look();
    };
    takingPages += forWrite;
    unfinished.add(since);
    try {
      return Promise.resolve(begin()).finally(end);
    } catch (error) {
      end();
      throw error;
    }
  }

  function unfinishedMs(): number {
    for (const { sinceMs } of unfinished) return now() - sinceMs;
    return 0;
  }

  await look();
  return {
    run(begin, what, size) {
      const pendingMs = unfinishedMs();
      if (pendingMs > STALLED_MS) return Promise.reject(stalled(what, pendingMs));
      const forWrite = pagesNeeded(size, usedPages, pageSize);
      largestPages = Math.max(largestPages, forWrite);
      const since = { sinceMs: now() };
      if (queued === 0 && !isShort() && fits(forWrite)) return start(begin, forWrite, since);
      queued += 1;
      unfinished.add(since);
      const started = lastQueued
        .then(() => admit(forWrite, what))
        .then(
          () => {
            queued -= 1;
            return { done: start(begin, forWrite, since) };
          },
          (error: unknown) => {
            queued -= 1;
            unfinished.delete(since);
            throw error;
          },
        );
      lastQueued = started.catch(() => undefined);
      return started.then(({ done }) => done);
    },
    unfinishedMs,
    async begun() {
      while (queued > 0) await lastQueued;
    },
    allowReserve(isAllowed) {
      isReserveAllowed = isAllowed;
    },
  };
}

function full(what: string, cause?: unknown): StoreError {
  return new StoreError('STORE_FULL', `no space left on the disk to write ${what}`, { cause });
}

function stalled(what: string, pendingMs: number): StoreError {
  const seconds = Math.round(pendingMs / 1_000);
  return new StoreError(
    'STORE_STALLED',
    `the disk has not finished a write for ${seconds} s; cannot write ${what}`,
  );
}
