import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type DiskKind = 'tmpfs' | 'ext4';

/** A disk of its own, small enough to be filled. */
export interface SmallDisk {
  readonly folder: string;
  /** Fills the disk to its last byte with a file of this name, or adds `bytes` to that file if so many fit. */
  fill(name: string, bytes?: number): void;
  free(name: string): void;
  freeBytes(): number;
  /** From now on every write to the disk waits, as while a snapshot of it is made. Only on ext4. */
  freeze(): void;
  thaw(): void;
  /** From now on every write to the disk is refused. */
  makeReadOnly(): void;
  unmount(): void;
}

const run = (command: string, ...args: string[]) => void execFileSync(command, args, { stdio: 'pipe' });

/**
 * Mounts a disk, or returns why that is impossible. Where everything is to be tested, with `CI=true`, root must be able
 * to.
 */
export function mountSmallDisk(kind: DiskKind, megabytes: number): SmallDisk | string {
  const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
  if (!isRoot) return 'not root on Linux';
  const base = mkdtempSync(join(tmpdir(), 'disk-'));
  const folder = join(base, 'mounted');
  const image = join(base, 'image');
  mkdirSync(folder);
  try {
    if (kind === 'tmpfs') run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder);
    else {
      closeSync(openSync(image, 'w'));
      truncateSync(image, megabytes * 1024 * 1024);
      run('mkfs.ext4', '-q', '-m', '0', image);
      run('mount', '-o', 'loop', image, folder);
    }
  } catch (error) {
    rmSync(base, { recursive: true, force: true });
    assert.ok(process.env.CI !== 'true', `no disk to fill: ${error}`);
    return String(error);
  }
  const zeros = Buffer.alloc(64 * 1024);
  let isFrozen = false;
  const thaw = () => {
    if (isFrozen) run('fsfreeze', '--unfreeze', folder);
    isFrozen = false;
  };
  return {
    folder,
    fill(name, bytes = Number.POSITIVE_INFINITY) {
      const file = openSync(join(folder, name), 'a');
      try {
        for (let left = bytes, step = zeros.length; left > 0 && step > 0; ) {
          try {
            left -= writeSync(file, zeros, 0, Math.min(step, left));
          } catch (error) {
            if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
            // Whole blocks first, then what is left of them.
            step = step > 4_096 ? 4_096 : 0;
          }
        }
      } finally {
        closeSync(file);
      }
    },
    free: (name) => rmSync(join(folder, name), { force: true }),
    freeBytes() {
      const { bavail, bsize } = statfsSync(folder);
      return bavail * bsize;
    },
    freeze() {
      run('fsfreeze', '--freeze', folder);
      isFrozen = true;
    },
    thaw,
    makeReadOnly: () => run('mount', '-o', 'remount,ro', folder),
    unmount() {
      thaw();
      run('umount', folder);
      rmSync(base, { recursive: true, force: true });
    },
  };
}
