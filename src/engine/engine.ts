import { exhaustMap, interval, type Subscription } from 'rxjs';
import type { SettingsFact } from '../../streams/internal.ts';
import { createSimulationPool, type SimulationReport } from '../simulation/pool.ts';
import type { ApiUse, Source, SourceStatus } from '../sources/source.ts';
import type { DiskUse } from '../store/disk.ts';
import type { Store } from '../store/store.ts';
import type { LatestWriter } from '../views/latest.ts';
import { takeCheckpoint, thinCheckpoints } from './checkpoints.ts';
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
  readonly disk: () => Promise<DiskUse>;
  readonly report: (report: EngineReport) => void;
}

export type EngineReport =
  | TurnReport
  | SimulationReport
  | ({ readonly type: 'disk'; readonly storeBytes: number } & DiskUse)
  | { readonly type: 'recovered'; readonly head: number; readonly replayed: number; readonly ms: number }
  | { readonly type: 'source'; readonly status: SourceStatus; readonly error: unknown }
  | { readonly type: 'delivered'; readonly source: string; readonly facts: number; readonly ms: number }
  | { readonly type: 'used'; readonly source: string; readonly use: ApiUse }
  | { readonly type: 'checkpoint'; readonly seq: number; readonly bytes: number }
  | { readonly type: 'maintenance_failed'; readonly error: unknown };

export interface Engine {
  sources(): readonly SourceStatus[];
  /** Whether the disk refused the last write, which is being retried. Readers keep the values they have. */
  isWaitingForDisk(): boolean;
  /** Stops sources and simulations, finishes the turn, then saves a checkpoint. The store stays open. */
  stop(): Promise<void>;
}

/** Recovers the store, then starts the sources and the clock. Resolves when readers can be served. */
export async function openEngine(deps: EngineDeps): Promise<Engine> {
  const { store, latest, clock, report } = deps;
  const startedAt = clock.mono();
  const { state, replayed, lastTick } = await recover(store, latest);
  report({ type: 'recovered', head: store.journal.head, replayed, ms: clock.mono() - startedAt });

  const watermarks = createWatermarks(clock);
  if (lastTick) watermarks.restore(lastTick.fact, lastTick.receivedAt);
  const statuses = new Map<string, SourceStatus>();
  let isStopping = false;
  let isWaitingForDisk = false;

  const turns = createTurns({
    ...deps,
    journal: store.journal,
    outputs: store.outputs,
    state,
    request: ({ record, seq }) => simulators.ask(record, seq),
    report(turn) {
      isWaitingForDisk = turn.type === 'refused_write';
      report(turn);
    },
  });

  const simulators = createSimulationPool({ report, deliver: (fact) => turns.accept([fact]) });

  const reportFailure = (error: unknown) => report({ type: 'maintenance_failed', error });
  const tick = (...before: readonly SettingsFact[]) =>
    turns.accept([...before, { kind: 'tick', ...watermarks.ages() }]).catch(reportFailure);
  // The settings are logged at every start, which makes the graph repeat the requests that the last process left
  // unanswered. This is not awaited, so that a full disk does not keep readers from being served.
  void tick(deps.settings);

  const lookups = sourceLookupsFrom(latest, state, clock.wall);
  const running: Subscription[] = deps.sources.map((source) =>
    supervise(source, {
      clock,
      random: deps.random,
      lookups,
      async deliver(facts, knownAt, values) {
        const deliveredAt = clock.mono();
        await turns.accept(facts);
        if (knownAt !== null) watermarks.mark(source.name, knownAt, values);
        report({
          type: 'delivered',
          source: source.name,
          facts: facts.length,
          ms: clock.mono() - deliveredAt,
        });
      },
      follow: (values) => watermarks.follow(source.name, values, source.usualMs ?? source.silentAfterMs),
      used: (use) => report({ type: 'used', source: source.name, use }),
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
    while (!isStopping && (await pruneStep(store, deps.retentionDays, clock.wall())));
  };
  const watchDisk = async () => {
    report({ type: 'disk', storeBytes: store.sizeBytes(), ...(await deps.disk()) });
  };
  // A task that fails is reported and tried again after its period. It must not stop the engine.
  const every = (periodMs: number, task: () => Promise<void>) =>
    interval(periodMs)
      .pipe(exhaustMap(() => task().catch(reportFailure)))
      .subscribe();
  running.push(
    ticker(clock, () => tick()).subscribe(),
    every(deps.checkpointMs, checkpoint),
    every(PRUNE_MS, prune),
    every(WATCH_DISK_MS, watchDisk),
  );
  await watchDisk().catch(reportFailure);

  return {
    sources: () => [...statuses.values()],
    isWaitingForDisk: () => isWaitingForDisk,
    async stop() {
      isStopping = true;
      for (const subscription of running.reverse()) subscription.unsubscribe();
      await simulators.stop();
      await turns.stop();
      await checkpoint().catch(reportFailure);
    },
  };
}
