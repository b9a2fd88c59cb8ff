import { Gauge, type Registry } from 'prom-client';
import type { SourceState, SourceStatus } from '../sources/source.ts';

const STATES: readonly SourceState[] = ['running', 'waiting', 'open', 'stopped'];

/** Reads the status of the sources at each scrape. */
export function watchSources(registry: Registry, read: () => readonly SourceStatus[]): void {
  const registers = [registry];
  new Gauge({
    name: 'tallywire_source_state',
    help: 'The state a source is in: 1, all others 0',
    labelNames: ['source', 'state'],
    registers,
    collect() {
      for (const { name, state } of read()) {
        for (const each of STATES) this.set({ source: name, state: each }, each === state ? 1 : 0);
      }
    },
  });
  const gauge = (name: string, help: string, figure: 'restarts' | 'refused') =>
    new Gauge({
      name,
      help,
      labelNames: ['source'],
      registers,
      collect() {
        for (const status of read()) this.set({ source: status.name }, status[figure]);
      },
    });
  gauge('tallywire_source_restarts', 'How often a source was restarted since the start', 'restarts');
  gauge(
    'tallywire_source_refused_payloads',
    'Payloads, and single elements of them, that a source refused since the start',
    'refused',
  );
}
