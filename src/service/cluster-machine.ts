import { openNatsBus } from '../bus/nats/open-nats-bus.ts';
import { type CacheDisk, cacheDisk } from '../cluster/edge/cache-disk.ts';
import { takeSnapshot } from '../cluster/engine/take-snapshot.ts';
import { countStoresAside, setStoreAside } from '../store/lmdb/set-aside.ts';

/** What a member of a cluster takes from its machine beside what every service does. A simulation gives its own. */
export interface ClusterMachine {
  readonly openBus: typeof openNatsBus;
  /** Reads the store in a data folder beside the engine that writes it. */
  readonly takeSnapshot: typeof takeSnapshot;
  readonly setStoreAside: typeof setStoreAside;
  readonly countStoresAside: typeof countStoresAside;
  /** Where an edge has its caches. */
  readonly cacheDisk: CacheDisk;
}

export const thisClusterMachine: ClusterMachine = {
  openBus: openNatsBus,
  takeSnapshot,
  setStoreAside,
  countStoresAside,
  cacheDisk,
};
