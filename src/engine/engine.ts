import { exhaustMap, interval, type Subscription } from 'rxjs';
import type { SettingsFact } from '../../streams/internal.ts';
import { createSimulators, type SimulatorReport } from '../simulation/pool.ts';
import type { Source, SourceStatus } from '../sources/source.ts';
import type { DiskUse } from '../store/disk.ts';
import type { Store } from '../store/store.ts';
import type { LatestWriter } from '../views/latest.ts';
import { takeCheckpoint, thinCheckpoints } from './checkpointing.ts';
import type { Clock } from './clock.ts';
import { recover } from './recover.ts';
import { pruneStep } from './retention.ts';
import { sourceLookupsFrom } from './source-lookups.ts';
import { supervise } from './supervise.ts';
import { ticker } from './ticker.ts';
import { createTurns, type TurnReport } from './turns.ts';
import { createWatermarks } from './watermarks.ts';

const PRUNE_MS = 10_000;
const WATCH_DISK_MS = 60_000;

export interface EngineDeps {
  readonly store: Store;
  readonly latest: LatestWriter;
  readonly clock: Clock;
  /** Numbers in [0, 1), for the jitter of restarts. */
  readonly random: () => number;
  readonly sources: readonly Source[];
  readonly settings: SettingsFact;
  readonly retentionDays: number;
  readonly checkpointMs: number;
  /** How full the disk is. */
  readonly disk: () => Promise<DiskUse>;
  readonly report: (report: EngineReport) => void;
}

export type EngineReport =
  | TurnReport
  | SimulatorReport
  | ({ readonly type: 'disk'; readonly storeBytes: number } & DiskUse)
  | { readonly type: 'recovered'; readonly head: number; readonly replayed: number; readonly ms: number }
  | { readonly type: 'source'; readonly status: SourceStatus; readonly error: unknown }
  | { readonly type: 'delivered'; readonly source: string; readonly facts: number; readonly ms: number }
  | { readonly type: 'checkpoint'; readonly seq: number; readonly bytes: number }
  | { readonly type: 'maintenance_failed'; readonly error: unknown };

export interface Engine {
  /** How each source fares, by name. */
  sources(): readonly SourceStatus[];
  /** Whether the last write was refused and is being tried again; readers keep what they have. */
  isHeldUp(): boolean;
  /** Ends sources and simulations first, then finishes the turn, then saves a checkpoint. The store stays open. */
  stop(): Promise<void>;
}

/** Recovers the store, then runs the sources and the clock against it. Resolves when readers have something to read. */
export async function openEngine(deps: EngineDeps): Promise<Engine> {
  const { store, latest, clock, report } = deps;
  const startedAt = clock.mono();
  const { state, replayed, lastTick } = await recover(store, latest);
  report({ type: 'recovered', head: store.journal.head, replayed, ms: clock.mono() - startedAt });

  const watermarks = createWatermarks(clock);
  if (lastTick) watermarks.restore(lastTick.fact.ages, lastTick.receivedAt);
  const statuses = new Map<string, SourceStatus>();
  const stopping = new AbortController();
  let isHeldUp = false;

  const turns = createTurns({
    ...deps,
    journal: store.journal,
    outputs: store.outputs,
    state,
    request: ({ record, seq }) => simulators.ask(record, seq),
    report(turn) {
      isHeldUp = turn.type === 'refused_write';
      report(turn);
    },
    wait: (ms) => pause(ms, stopping.signal),
  });

  const simulators = createSimulators({ report, deliver: (fact) => turns.accept([fact]) });

  const tick = (...before: readonly SettingsFact[]) =>
    turns
      .accept([...before, { kind: 'tick', ages: watermarks.ages() }])
      .catch((error: unknown) => report({ type: 'maintenance_failed', error }));
  // Told at every start, as whatever was asked of the simulators before died with them. Not awaited: on a full disk
  // it would wait for space, and readers can be served before that.
  void tick(deps.settings);

  const known = sourceLookupsFrom(latest, (account) => state.counters.get(account)?.coveredFrom ?? undefined);
  const sources: Subscription[] = deps.sources.map((source) =>
    supervise(source, {
      clock,
      random: deps.random,
      known,
      async deliver(facts) {
        const askedAt = clock.mono();
        await turns.accept(facts);
        watermarks.mark(source.name);
        report({ type: 'delivered', source: source.name, facts: facts.length, ms: clock.mono() - askedAt });
      },
      onStatus(status, error) {
        statuses.set(status.name, status);
        report({ type: 'source', status, error });
      },
    }).subscribe(),
  );

  const checkpoint = async () => {
    const taken = await turns.between(() => takeCheckpoint(store, state, clock.wall()));
    if (taken === undefined) return;
    await store.checkpoints.save(taken);
    await thinCheckpoints(store);
    report({ type: 'checkpoint', seq: taken.seq, bytes: taken.state.length });
  };
  const prune = async () => {
    while (!stopping.signal.aborted && (await pruneStep(store, deps.retentionDays, clock.wall())));
  };
  const watchDisk = async () => {
    report({ type: 'disk', storeBytes: store.sizeBytes(), ...(await deps.disk()) });
  };
  // A failed chore is told and tried again at its next turn: none of them may end the engine.
  const chore = (everyMs: number, task: () => Promise<void>) =>
    interval(everyMs)
      .pipe(exhaustMap(() => task().catch((error: unknown) => report({ type: 'maintenance_failed', error }))))
      .subscribe();
  const running = [...sources];
  running.push(
    ticker(clock, () => tick()).subscribe(),
    chore(deps.checkpointMs, checkpoint),
    chore(PRUNE_MS, prune),
    chore(WATCH_DISK_MS, watchDisk),
  );
  await watchDisk().catch((error: unknown) => report({ type: 'maintenance_failed', error }));

  return {
    sources: () => [...statuses.values()],
    isHeldUp: () => isHeldUp,
    async stop() {
      stopping.abort();
      for (const subscription of running.reverse()) subscription.unsubscribe();
      await simulators.stop();
      await turns.stop();
      await checkpoint().catch((error: unknown) => report({ type: 'maintenance_failed', error }));
    },
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}
