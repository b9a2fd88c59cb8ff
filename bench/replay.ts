import { recover } from '../src/engine/recover.ts';
import type { Store } from '../src/store/store.ts';
import { createLatest } from '../src/views/latest.ts';
import {
  createRunner,
  emptyState,
  encodeState,
  GRAPH_VERSION,
  isKept,
  type Observation,
} from '../streams/internal.ts';
import { fill, withStore } from './filled-store.ts';
import { median } from './percentiles.ts';
import { print } from './print.ts';

/**
 * How fast a log becomes outputs again. Regression means a slower restart, verification and backtest.
 * The peer is the least any replay has to do: reading the same blocks and parsing their JSON.
 */
export async function benchReplay(): Promise<void> {
  for (const [name, options] of [
    ['a day', {}],
    ['a day with crypto ticks', { hasSpot: true }],
  ] as const) {
    await withStore(async (store) => {
      const count = await fill(store, { startAt: Date.UTC(2026, 0, 5), ...options }, 1);
      const rounds = Array.from({ length: 3 }, () => {
        const read = time(() => drain(store.journal.read(1)));
        const replay = time(() => replayAll(store));
        return { read, replay };
      });
      const replay = median(rounds.map((round) => round.replay));
      const read = median(rounds.map((round) => round.read));
      print(`replay of ${name} (${count} observations)`, `${(replay / 1_000).toFixed(2)} s`, 'goal 3 s');
      print(
        '  of which reading the log, the peer',
        `${(replay / read).toFixed(2)} x`,
        'what limits: JSON and LMDB reads',
      );
    });
  }
  await benchRestart();
}

async function benchRestart(): Promise<void> {
  await withStore(async (store) => {
    const startAt = Date.UTC(2026, 0, 5);
    const count = await fill(store, { startAt, seconds: 7 * 86_400, priceTicks: 20_000, hasSpot: false }, 60);
    // As a running engine leaves it when it is killed: the last checkpoint is up to five minutes old.
    const { state, run } = createRunner(emptyState());
    const upTo = store.journal.head - 400;
    for (const observation of until(store.journal.read(1), upTo)) run(observation);
    await store.checkpoints.save({
      seq: upTo,
      at: startAt,
      graphVersion: GRAPH_VERSION,
      state: encodeState(state),
    });
    const startedAt = performance.now();
    const { replayed } = await recover(store, createLatest());
    const restart = performance.now() - startedAt;
    print(
      `restart with a week of log (${count} observations, ${replayed} read again)`,
      `${restart.toFixed(0)} ms`,
      'goal 1,000 ms',
    );
  });
}

function* until(observations: Iterable<Observation>, seq: number): Iterable<Observation> {
  for (const observation of observations) {
    if (observation.seq > seq) return;
    yield observation;
  }
}

/** The same work as verification: through the graph, and every output to its bytes. */
function replayAll(store: Store): void {
  let bytes = 0;
  const { run } = createRunner(emptyState());
  for (const observation of store.journal.read(1)) {
    for (const output of run(observation)) if (isKept(output.stream)) bytes += JSON.stringify(output).length;
  }
  if (bytes === 0) throw new Error('the replay gave nothing');
}

function drain(observations: Iterable<Observation>): void {
  for (const observation of observations) if (observation.seq < 0) throw new Error('never');
}

function time(work: () => void): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}
