import { StoreError } from '../../src/errors.ts';
import type { Store } from '../../src/store/store.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import type { Chance } from './chance.ts';
import type { Kernel, Owner } from './kernel.ts';

/** Why a disk refuses writes. */
export type Refusal = 'STORE_FULL' | 'STORE_WRITE';

/** A part of the store. */
export type Part = keyof typeof WRITES;

export interface DiskFigures {
  readonly commits: number;
  readonly writes: number;
  readonly refusedWrites: number;
  readonly slowCommits: number;
  /** Of commits under way at a kill: how many were whole on disk although nobody was told, and how many left nothing. */
  readonly keptAtKill: number;
  readonly lostAtKill: number;
}

/** Told each write that is kept, also by a commit of which nobody was told. */
export type OnKept = (part: Part, method: string, args: readonly unknown[]) => void;

export interface SimulatedDisk {
  /** What a process that starts now would read. */
  readonly kept: Store;
  readonly figures: DiskFigures;
  /** The store as the process of the present owner reads and writes it. */
  open(): Store;
  /** Whether a commit is under way that writes this part, or any. */
  isWriting(part?: Part): boolean;
  /** From now on every commit that begins is refused; undefined ends that. */
  refuse(why: Refusal | undefined): void;
  /** From now on every commit that begins takes this much longer. */
  slowDown(ms: number): void;
  /** To be called when the owner is killed. A commit under way is kept whole or lost, and what waits for one is lost. */
  kill(owner: Owner): void;
}

/** What writes, by part. Everything else reads. */
const WRITES = {
  journal: ['append', 'prune'],
  outputs: ['append', 'prune', 'clear'],
  checkpoints: ['save', 'remove'],
  notes: ['set'],
  keys: ['put'],
  calls: ['append', 'replace'],
  grants: ['append'],
  usage: ['write', 'prune'],
  waitlist: ['claim'],
  feed: ['append', 'pack', 'addPacks', 'prune'],
  payments: ['reserve', 'put', 'release', 'prune'],
} as const satisfies { readonly [P in keyof Store]?: readonly (keyof Store[P])[] };

const PARTS = Object.keys(WRITES).filter(isPart);

function isPart(name: string): name is Part {
  return Object.hasOwn(WRITES, name);
}

/** A commit takes this long, ms; some take longer. */
const LEAST_MS = 0.2;
const SPREAD_MS = 4;
const SLOW_SHARE = 0.01;
const SLOW_SPREAD_MS = 300;

interface Write {
  readonly part: Part | 'close';
  readonly since: number;
  /** Changes what is kept. Settles at once. */
  readonly apply: () => Promise<unknown>;
  readonly done: (result: unknown) => void;
  readonly failed: (error: unknown) => void;
}

interface Commit {
  readonly writes: readonly Write[];
  readonly owner: Owner;
}

/**
 * A disk with a store that commits as the real one does: one commit at a time; what is written meanwhile shares the next
 * one; all of a commit is kept or nothing; and nothing of it can be read before it is kept.
 */
export function createSimulatedDisk(
  kernel: Kernel,
  chance: Chance,
  onKept: OnKept = () => undefined,
): SimulatedDisk {
  const kept = createMemoryStore();
  const figures = {
    commits: 0,
    writes: 0,
    refusedWrites: 0,
    slowCommits: 0,
    keptAtKill: 0,
    lostAtKill: 0,
  };
  let waiting: Write[] = [];
  let underWay: Commit | undefined;
  let refusal: Refusal | undefined;
  let slowerMs = 0;

  function begin(): void {
    if (underWay !== undefined || waiting.length === 0) return;
    const commit = { writes: waiting, owner: kernel.owner };
    underWay = commit;
    waiting = [];
    const why = refusal;
    const isSlow = chance() < SLOW_SHARE;
    const ms = LEAST_MS + chance() * SPREAD_MS + (isSlow ? chance() * SLOW_SPREAD_MS : 0) + slowerMs;
    if (isSlow || slowerMs > 0) figures.slowCommits += 1;
    kernel.schedule(ms, () => finish(commit, why));
  }

  function finish({ writes, owner }: Commit, why: Refusal | undefined): void {
    if (kernel.isDead(owner)) throw new TypeError(`${owner.name} is dead and commits`);
    underWay = undefined;
    if (why !== undefined) {
      figures.refusedWrites += writes.length;
      for (const { failed } of writes)
        failed(new StoreError(why, why === 'STORE_FULL' ? 'no space is left' : 'the disk does not write'));
    } else {
      figures.commits += 1;
      figures.writes += writes.length;
      for (const { apply, done, failed } of writes) apply().then(done, failed);
    }
    begin();
  }

  /** The same part, whose writes wait for a commit. */
  function committed<T extends object>(name: Part, part: T): T {
    const writes: readonly string[] = WRITES[name];
    const wrapped = new Map(
      writes.map((write) => {
        const method: unknown = Reflect.get(part, write);
        if (typeof method !== 'function') throw new TypeError(`no ${write} in ${name}`);
        const call = (...args: readonly unknown[]) =>
          new Promise((done, failed) => {
            const apply = async () => {
              const result: unknown = await Reflect.apply(method, part, args);
              onKept(name, write, args);
              return result;
            };
            waiting.push({ part: name, since: kernel.now(), apply, done, failed });
            begin();
          });
        return [write, call];
      }),
    );
    return new Proxy(part, {
      get: (target, key) => wrapped.get(String(key)) ?? Reflect.get(target, key),
    });
  }

  return {
    kept,
    figures,
    open() {
      const store = { ...kept };
      for (const name of PARTS) Reflect.set(store, name, committed(name, kept[name]));
      return {
        ...store,
        unfinishedWriteMs: () => {
          const oldest = underWay?.writes[0] ?? waiting[0];
          return oldest === undefined ? 0 : kernel.now() - oldest.since;
        },
        async close() {
          await new Promise((done, failed) => {
            waiting.push({ part: 'close', since: kernel.now(), apply: async () => {}, done, failed });
            begin();
          });
        },
      };
    },
    isWriting: (part) => underWay?.writes.some((write) => part === undefined || write.part === part) ?? false,
    refuse(why) {
      refusal = why;
    },
    slowDown(ms) {
      slowerMs = ms;
    },
    kill(owner) {
      if (underWay !== undefined && underWay.owner === owner) {
        const { writes } = underWay;
        underWay = undefined;
        if (refusal === undefined && chance() < 0.5) {
          figures.keptAtKill += 1;
          // What a write finds wrong was told to nobody.
          for (const { apply } of writes) apply().catch(() => undefined);
        } else figures.lostAtKill += 1;
      }
      waiting = [];
    },
  };
}
