import { statfs } from 'node:fs/promises';

export interface DiskUse {
  readonly usedBytes: number;
  /** What this user may still write. */
  readonly freeBytes: number;
  /** 0 to 1, as a share of what this user can ever use. */
  readonly usedShare: number;
}

/** How full the disk under `folder` is. LMDB's file has no size limit, so the disk has to be watched. */
export async function diskUse(folder: string): Promise<DiskUse> {
  const { bsize, blocks, bfree, bavail } = await statfs(folder);
  const usedBytes = (blocks - bfree) * bsize;
  const freeBytes = bavail * bsize;
  return { usedBytes, freeBytes, usedShare: usedBytes / Math.max(usedBytes + freeBytes, 1) };
}
