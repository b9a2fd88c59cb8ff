import { type FileHandle, open } from 'node:fs/promises';

/** Bytes written at a time, so that a step is short. */
const CHUNK_BYTES = 1024 * 1024;
const BLOCK_BYTES = 512;

/**
 * Pages at the end of the file that LMDB does not use yet, but that have their place on the disk. A commit that stays
 * within them asks the file system for no space, so it cannot meet a full disk, whatever other programs write meanwhile.
 * (A file system that writes every block anew, as btrfs does, keeps no place; there the free space has to be enough.)
 */
export interface SparePages {
  /** The pages that have their place, in use or spare; 0 until that is certain. */
  readonly total: number;
  /** One call at a time. Rejects with the system's error when there is no space; what was added until then is kept. */
  growTo(pages: number): Promise<void>;
  close(): Promise<void>;
}

/** For the file at `path`. Until `total` is known nothing may be written to it by others. */
export async function openSparePages(path: string, pageSize: number): Promise<SparePages> {
  const file = await open(path, 'r+');
  let zeros: Buffer | undefined;
  let { size: end, blocks } = await file.stat();
  let hasHoles = blocks * BLOCK_BYTES < end;
  return {
    get total() {
      return hasHoles ? 0 : Math.floor(end / pageSize);
    },
    async growTo(pages) {
      if (hasHoles) await fillHoles(file, pageSize, end);
      hasHoles = false;
      zeros ??= Buffer.alloc(CHUNK_BYTES);
      // Zeros over a page that LMDB has put there after all would be damage.
      end = Math.max(end, (await file.stat()).size);
      while (end < pages * pageSize) end += await writeSome(file, zeros, pages * pageSize - end, end);
    },
    close: () => file.close(),
  };
}

async function writeSome(file: FileHandle, zeros: Buffer, length: number, at: number): Promise<number> {
  return (await file.write(zeros, 0, Math.min(zeros.length, length), at)).bytesWritten;
}

/** Gives every page its place on the disk. A page that was never written reads as zeros, so zeros change nothing. */
async function fillHoles(file: FileHandle, pageSize: number, end: number): Promise<void> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const zeros = Buffer.alloc(pageSize);
  for (let start = 0; start < end; start += CHUNK_BYTES) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(CHUNK_BYTES, end - start), start);
    for (let offset = 0; offset < bytesRead; offset += pageSize) {
      const page = chunk.subarray(offset, Math.min(offset + pageSize, bytesRead));
      if (!page.equals(zeros.subarray(0, page.length))) continue;
      for (let done = 0; done < page.length; ) {
        done += await writeSome(file, zeros, page.length - done, start + offset + done);
      }
    }
  }
}
