import { Gauge, type Registry } from 'prom-client';
import type { SourceState, SourceStatus } from '../sources/source.ts';

const STATES: readonly SourceState[] = ['running', 'waiting', 'open', 'stopped'];

/** Reads the sources anew at each scrape. */
export function gaugeSources(registry: Registry, read: () => readonly SourceStatus[]): void {
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
  new Gauge({
    name: 'tallywire_source_restarts',
    help: 'How often a source was restarted since the start',
    labelNames: ['source'],
    registers,
    collect() {
      for (const { name, restarts } of read()) this.set({ source: name }, restarts);
    },
  });
  new Gauge({
    name: 'tallywire_source_refused_payloads',
    help: 'Payloads of a source that were refused whole since the start',
    labelNames: ['source'],
    registers,
    collect() {
      for (const { name, refused } of read()) this.set({ source: name }, refused);
    },
  });
}
