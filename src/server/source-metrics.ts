import { Gauge, type Registry } from 'prom-client';
import type { SourceName } from '../../streams/index.ts';

/** `waiting` for its next restart, `open` when its circuit is, `stopped` for good. */
export type SourceState = 'running' | 'waiting' | 'open' | 'stopped';

/** How a supervised source does, as the engine tells. */
export interface SourceStatus {
  readonly name: SourceName;
  readonly state: SourceState;
  readonly restarts: number;
  /** Payloads refused whole. */
  readonly refused: number;
  readonly lastError?: string;
}

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
