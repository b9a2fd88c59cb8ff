import { posix } from 'node:path';
import type { CacheDisk } from '../../src/cluster/edge/cache-disk.ts';
import { chanceOf } from './chance.ts';
import type { Kernel, Owner } from './kernel.ts';
import {
  createSimulatedDisk,
  type OnKept,
  type Part,
  type Refusal,
  type SimulatedDisk,
} from './simulated-disk.ts';

/** The stores of one machine, each in a folder of its own and with its own commits, on one disk. */
export interface SimulatedFolders {
  /** The present store of each folder. */
  readonly stores: ReadonlyMap<string, SimulatedDisk>;
  /** Empty where there was none. */
  storeIn(folder: string): SimulatedDisk;
  /** Leaves the folder empty, and resolves to the name that its store is kept under. */
  setAside(folder: string): Promise<string>;
  countAside(folder: string): number;
  readonly caches: CacheDisk;
  isWriting(part?: Part): boolean;
  /** As those of each store, also for those that come later. */
  refuse(why: Refusal | undefined): void;
  slowDown(ms: number): void;
  kill(owner: Owner): void;
}

export function createSimulatedFolders(kernel: Kernel, seed: number, onKept: OnKept): SimulatedFolders {
  const stores = new Map<string, SimulatedDisk>();
  const aside: string[] = [];
  let made = 0;
  let refusal: Refusal | undefined;
  let slowerMs = 0;

  function storeIn(folder: string): SimulatedDisk {
    const there = stores.get(folder);
    if (there !== undefined) return there;
    const disk = createSimulatedDisk(kernel, chanceOf(seed, `disk ${++made} in ${folder}`), onKept);
    disk.refuse(refusal);
    disk.slowDown(slowerMs);
    stores.set(folder, disk);
    return disk;
  }

  return {
    stores,
    storeIn,
    async setAside(folder) {
      const name = `db.diverged-${aside.length + 1}`;
      aside.push(folder);
      stores.delete(folder);
      return name;
    },
    countAside: (folder) => aside.filter((each) => each === folder).length,
    caches: {
      list: async (folder) =>
        [...stores.keys()]
          .filter((path) => posix.dirname(path) === folder)
          .map((path) => posix.basename(path)),
      open: async (path) => storeIn(path).open(),
      remove: async (path) => void stores.delete(path),
    },
    isWriting: (part) => [...stores.values()].some((disk) => disk.isWriting(part)),
    refuse(why) {
      refusal = why;
      for (const disk of stores.values()) disk.refuse(why);
    },
    slowDown(ms) {
      slowerMs = ms;
      for (const disk of stores.values()) disk.slowDown(ms);
    },
    kill(owner) {
      for (const disk of stores.values()) disk.kill(owner);
    },
  };
}
