import { statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, StoreError } from '../../errors.ts';
import { errorCode } from '../system-error.ts';
import type { WriteRoom } from './write-room.ts';
import type { WriteSize } from './write-size.ts';

const EIO = 5;
const ENOSPC = 28;
const EDQUOT = 122;
/** LMDB's own: the map could not be made larger. */
const MDB_MAP_FULL = -30792;

/** A commit writes whole pages, so a disk this full counts as full. */
const SHORT_OF_SPACE_BYTES = 64 * 1024;

interface CommitFailure extends Error {
  readonly commitError: Promise<unknown>;
}

function isCommitFailure(error: unknown): error is CommitFailure {
  return error instanceof Error && 'commitError' in error && error.commitError instanceof Promise;
}

/**
 * How long the reason of a failed commit is waited for, ms. LMDB gives it with the failure, but where it was given just
 * before, it is lost until another commit fails, which then gives its own.
 */
const REASON_MS = 1_000;

/** The reason LMDB gives for a failed commit, which sits in a second promise inside the error. */
async function causeOf(error: unknown): Promise<unknown> {
  if (!isCommitFailure(error)) return error;
  const reason = error.commitError.then(
    () => error,
    (given: unknown) => given,
  );
  return Promise.race([reason, delay(REASON_MS, error)]);
}

/** LMDB answers a write cut short with "input/output error", which a full disk causes too. */
async function isFull(code: unknown, path: string): Promise<boolean> {
  if (code === ENOSPC || code === EDQUOT || code === MDB_MAP_FULL) return true;
  if (code !== EIO) return false;
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize < SHORT_OF_SPACE_BYTES;
}

/**
 * Every write to the environment goes through here: `begin` is called when there is room for it, and at once if there
 * is. Resolves when the write is on disk. One that failed left nothing behind; `what` names it in the message.
 */
export type Durable = <T>(begin: () => PromiseLike<T>, what: string, size: WriteSize) => Promise<T>;

/** For writes to the environment at `path`; without room, as for a reader, each is refused by LMDB. */
export function durableAt(path: string, room?: WriteRoom): Durable {
  return async (begin, what, size) => {
    let hasBegun = false;
    const beginOnce = () => {
      const begun = begin();
      hasBegun = true;
      return begun;
    };
    try {
      return await (room ? room.run(beginOnce, what, size) : beginOnce());
    } catch (error) {
      if (!hasBegun) throw error;
      const cause = await causeOf(error);
      if (await isFull(errorCode(cause), path)) {
        throw new StoreError('STORE_FULL', `no space left on the disk to write ${what}`, { cause });
      }
      throw new StoreError('STORE_WRITE', `cannot write ${what}: ${messageOf(cause)}`, { cause });
    }
  };
}

let guards = 0;

/**
 * A failed commit also rejects promises inside lmdb that are out of reach, and Node would end the process for
 * them although the writer got its own rejection. Exactly those are ignored; any other unhandled rejection is
 * thrown on, unless another listener handles it.
 */
function onStrayRejection(reason: unknown): void {
  if (isCommitFailure(reason)) {
    reason.commitError.catch(() => undefined);
    return;
  }
  if (process.listenerCount('unhandledRejection') === 1) throw reason;
}

/** Guards the process against stray commit failures until the returned function is called. */
export function guardCommits(): () => void {
  if (guards++ === 0) process.on('unhandledRejection', onStrayRejection);
  let isActive = true;
  return () => {
    if (!isActive) return;
    isActive = false;
    if (--guards === 0) process.off('unhandledRejection', onStrayRejection);
  };
}
