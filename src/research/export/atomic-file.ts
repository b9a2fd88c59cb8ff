import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { messageOf, ServiceError } from '../../errors.ts';

/** A file that takes its name only when it is whole. */
export interface AtomicFile {
  write(data: string | Uint8Array): Promise<void>;
  /** All of it is on disk, still under another name. */
  close(): Promise<{ readonly bytes: number; readonly sha256: string }>;
  publish(): Promise<void>;
  /** Leaves nothing behind unless it was published. Twice is fine. */
  discard(): Promise<void>;
}

/** The system's error codes in plain words. */
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOENT: 'no folder to write to',
  ENOTDIR: 'no folder to write to',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EROFS: 'the disk is read-only',
};

async function withReason<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const reason = REASONS[code] ?? messageOf(cause);
    throw new ServiceError('EXPORT_FILE', `cannot write ${path}: ${reason}`, { cause });
  }
}

export async function createAtomicFile(path: string): Promise<AtomicFile> {
  const part = `${path}.${process.pid}.part`;
  const hash = createHash('sha256');
  let handle: FileHandle | undefined = await withReason(path, open(part, 'w'));
  let bytes = 0;

  async function release(): Promise<void> {
    const open = handle;
    handle = undefined;
    await open?.close();
  }

  return {
    async write(data) {
      if (handle === undefined) throw new RangeError(`write to ${path} after it was closed`);
      hash.update(data);
      bytes += typeof data === 'string' ? Buffer.byteLength(data) : data.byteLength;
      // Goes on where the last one ended, and writes all of it.
      await withReason(path, handle.writeFile(data));
    },
    async close() {
      if (handle !== undefined) await withReason(path, handle.sync());
      await withReason(path, release());
      return { bytes, sha256: hash.digest('hex') };
    },
    publish: () => withReason(path, rename(part, path)),
    async discard() {
      // The write that failed has already reported a full disk.
      await release().catch(() => undefined);
      await rm(part, { force: true });
    },
  };
}
