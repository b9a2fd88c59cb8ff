import { Gauge, type Registry } from 'prom-client';

/** An engine as one of several. */
export interface ClusterFigures {
  readonly isLeading: boolean;
  /** To a server of the bus. */
  readonly isConnected: boolean;
  /** 0 while it stands by. */
  readonly term: number;
  readonly place: number;
  /** Ms since everything was applied; 0 of a leader. */
  readonly lagMs: number;
  /** Ms for which the bus has not taken an append. */
  readonly heldMs: number;
  readonly hasAlarm: boolean;
  /** Stores that were set aside because their log was another one. */
  readonly divergedStores: number;
}

const GAUGES: readonly (readonly [name: string, help: string, value: (figures: ClusterFigures) => number])[] =
  [
    ['leading', 'Whether this engine leads its shard', ({ isLeading }) => Number(isLeading)],
    ['connected', 'Whether a server of the bus is connected', ({ isConnected }) => Number(isConnected)],
    ['term', 'The term of this engine while it leads', ({ term }) => term],
    ['place', 'The last place of the stream that is applied', ({ place }) => place],
    ['lag_seconds', 'Time since everything on the stream was applied', ({ lagMs }) => lagMs / 1_000],
    ['held_seconds', 'For how long the bus has not taken an append', ({ heldMs }) => heldMs / 1_000],
    ['alarm', 'Whether this engine will not take over', ({ hasAlarm }) => Number(hasAlarm)],
    [
      'diverged_stores',
      'Stores set aside as their log was another one',
      ({ divergedStores }) => divergedStores,
    ],
  ];

/** Reads at each scrape how this engine is one of several. */
export function watchCluster(registry: Registry, read: () => ClusterFigures): void {
  for (const [name, help, value] of GAUGES) {
    new Gauge({
      name: `tallywire_cluster_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(value(read()));
      },
    });
  }
}
