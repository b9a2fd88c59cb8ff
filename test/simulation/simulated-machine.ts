import type { Machine } from '../../src/service/machine.ts';
import { chanceOf } from './chance.ts';
import type { Kernel } from './kernel.ts';
import type { Network } from './network.ts';
import type { SimulatedDisk } from './simulated-disk.ts';
import { type Model, simulatedWorkers } from './simulated-workers.ts';

interface MachineParts {
  readonly kernel: Kernel;
  readonly network: Network;
  readonly disk: SimulatedDisk;
  readonly seed: number;
  readonly model: Model;
}

/** The machine that every life of the engine runs on. */
export function simulatedMachine({ kernel, network, disk, seed, model }: MachineParts): Machine {
  let ids = 0;
  return {
    random: chanceOf(seed, 'restarts of sources'),
    newId: () => `id-${seed}-${++ids}`,
    listen: network.listen,
    lockFolder: async () => ({ privacy: 'private', release: async () => undefined }),
    openStore: async () => ({ store: disk.open(), settled: () => undefined, finished: () => undefined }),
    diskUse: async () => ({ usedBytes: 10, freeBytes: 90, usedShare: 0.1 }),
    openControlSocket: async () => ({ close: async () => undefined }),
    startWorker: simulatedWorkers(kernel, chanceOf(seed, 'workers'), model),
  };
}
