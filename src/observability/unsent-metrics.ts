import { Counter, Gauge, type Registry } from 'prom-client';
import type { UnsentFigures } from '../server/answers-in-turn.ts';

/** Reads at each scrape what waits for callers who do not read. */
export function watchUnsent(registry: Registry, read: () => UnsentFigures): void {
  const registers = [registry];
  new Gauge({
    name: 'tallywire_http_unsent_bytes',
    help: 'Memory of requests and answers that wait for callers to read',
    registers,
    collect() {
      this.set(read().unsentBytes);
    },
  });
  new Counter({
    name: 'tallywire_http_unsent_closed_total',
    help: 'Connections that were closed because too much waited for callers to read',
    registers,
    collect() {
      this.reset();
      this.inc(read().endedConnections);
    },
  });
}
