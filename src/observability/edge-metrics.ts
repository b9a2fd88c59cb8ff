import { Gauge, type Registry } from 'prom-client';

/** How an edge follows the engines of its cluster. */
export interface EdgeFigures {
  readonly isConnected: boolean;
  readonly shards: readonly {
    readonly name: string;
    /** The last applied place of the shard's stream. */
    readonly place: number;
    /** Ms since all of the shard was last known; null if it never was. */
    readonly behindMs: number | null;
  }[];
}

/** `read` is called at each scrape. */
export function watchEdge(registry: Registry, read: () => EdgeFigures): void {
  const registers = [registry];
  new Gauge({
    name: 'tallywire_bus_connected',
    help: 'Whether a server of the bus is connected: 1 or 0',
    registers,
    collect() {
      this.set(Number(read().isConnected));
    },
  });
  new Gauge({
    name: 'tallywire_edge_place',
    help: 'The last applied place of the stream of a shard',
    labelNames: ['shard'],
    registers,
    collect() {
      this.reset();
      for (const { name, place } of read().shards) this.set({ shard: name }, place);
    },
  });
  new Gauge({
    name: 'tallywire_edge_behind_seconds',
    help: 'Time since the edge last knew all of a shard',
    labelNames: ['shard'],
    registers,
    collect() {
      this.reset();
      for (const { name, behindMs } of read().shards) {
        if (behindMs !== null) this.set({ shard: name }, Math.max(0, behindMs) / 1_000);
      }
    },
  });
}
