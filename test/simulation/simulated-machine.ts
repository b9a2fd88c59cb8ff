import type { Machine } from '../../src/service/machine.ts';
import { chanceOf } from './chance.ts';
import type { Network } from './network.ts';
import type { SimulatedDisk } from './simulated-disk.ts';
import type { SimulatedWorkers } from './simulated-workers.ts';

interface MachineParts {
  readonly network: Network;
  readonly disk: SimulatedDisk;
  readonly seed: number;
  readonly workers: SimulatedWorkers;
  readonly fetchFor: Machine['fetchFor'];
}

/** The machine that every life of the engine runs on. */
export function simulatedMachine({ network, disk, seed, workers, fetchFor }: MachineParts): Machine {
  let ids = 0;
  return {
    random: chanceOf(seed, 'restarts of sources'),
    newId: () => `id-${seed}-${++ids}`,
    listen: network.listen,
    lockFolder: async () => ({ privacy: 'private', release: async () => undefined }),
    openStore: async () => ({ store: disk.open(), settled: () => undefined, finished: () => undefined }),
    diskUse: async () => ({ usedBytes: 10, freeBytes: 90, usedShare: 0.1 }),
    openControlSocket: async () => ({ close: async () => undefined }),
    startWorker: workers.start,
    fetchFor,
  };
}
