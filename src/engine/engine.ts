import { setTimeout as delay } from 'node:timers/promises';
import { concatMap, exhaustMap, expand, interval, map, merge, of, type Subscription, timer } from 'rxjs';
import {
  calendarAt,
  type Fact,
  lastPassing,
  type Observation,
  type Output,
  type SettingsFact,
} from '../../streams/internal.ts';
import {
  createSimulationPool,
  type SimulationPool,
  type SimulationReport,
  type StartWorker,
} from '../simulation/pool.ts';
import type { ApiUse, Source, SourceContext, SourceStatus } from '../sources/source.ts';
import type { DiskUse } from '../store/disk.ts';
import type { Store } from '../store/store.ts';
import type { LatestWriter } from '../views/latest.ts';
import { type BootNote, createBootNote } from './boot-note.ts';
import { bytesIn, takeCheckpoint, thinCheckpoints } from './checkpoints.ts';
import type { Clock } from './clock.ts';
import { beginRecovery, lastTickOf, type Recovery } from './recover.ts';
import { restoredAges } from './restored-ages.ts';
import { createRetention, type PruneReport } from './retention.ts';
import { sourceLookupsFrom } from './source-lookups.ts';
import { supervise } from './supervise.ts';
import { ticker } from './ticker.ts';
import { createTurns, type Publishing, type TurnReport } from './turns.ts';
import { createWatermarks } from './watermarks.ts';
import { whileAllowed } from './while-allowed.ts';

/**
 * From the start to the first checkpoint, unless there was something to recover. The wait for the next one is twice as long
 * each time, up to the configured one: much is read at a first start, and a process that was killed may be again.
 */
const FIRST_CHECKPOINT_MS = 5_000;
const PRUNE_MS = 60_000;
const WATCH_DISK_MS = 60_000;
const WATCH_WRITES_MS = 1_000;
/** Between two steps of looking through the latest outputs, so that this takes a small share of the time. */
const CHECK_PAUSE_MS = 5;
/** A write takes milliseconds. One that takes this long is held by the disk, for example while a snapshot is made. */
const SLOW_WRITE_MS = 5_000;

export interface EngineDeps {
  readonly store: Store;
  readonly latest: LatestWriter;
  readonly clock: Clock;
  /** Ms since the machine was started, its sleep included; as told by the calendar unless given. */
  readonly sinceBoot?: (() => number) | undefined;
  /** How many times faster than real time its calendar runs; 1 unless given. */
  readonly speed?: number;
  /** Ms between two ticks; a second unless given. */
  readonly tickMs?: number | undefined;
  /** Told the headers of every answer of a source. */
  readonly onHeaders?: SourceContext['onHeaders'];
  /** UTC ms when all that tells the time agrees on it; undefined while it does not. */
  readonly agreedNow: () => number | undefined;
  /** Numbers in [0, 1), for the jitter of restarts. */
  readonly random: () => number;
  readonly sources: readonly Source[];
  readonly settings: SettingsFact;
  readonly retentionDays: number;
  readonly checkpointMs: number;
  readonly disk: () => Promise<DiskUse>;
  readonly startWorker?: StartWorker | undefined;
  readonly report: (report: EngineReport) => void;
}

export type EngineReport =
  | TurnReport
  | SimulationReport
  | PruneReport
  | ({ readonly type: 'disk'; readonly storeBytes: number } & DiskUse)
  /** Often while the log is read at a start. */
  | { readonly type: 'recovering'; readonly share: number }
  | { readonly type: 'recovered'; readonly head: number; readonly replayed: number; readonly ms: number }
  | { readonly type: 'source'; readonly status: SourceStatus; readonly error: unknown }
  | { readonly type: 'delivered'; readonly source: string; readonly facts: number; readonly ms: number }
  | { readonly type: 'used'; readonly source: string; readonly use: ApiUse }
  | { readonly type: 'checkpoint'; readonly seq: number; readonly bytes: number }
  /** Each second while the disk does not take what has to be written. */
  | { readonly type: 'writes_held'; readonly ms: number }
  | { readonly type: 'maintenance_failed'; readonly error: unknown };

export interface Engine {
  sources(): readonly SourceStatus[];
  /**
   * Ms for which the disk has not taken what the engine has to write: it is full, or does not finish a write. 0 while it
   * does. The write is tried again until it succeeds, and readers keep the values they have.
   */
  writesHeldMs(): number;
  /** By how many ms the time of the log is ahead of the calendar, which was set back; 0 while it is not. */
  logAheadMs(): number;
  /** Stops sources and simulations, finishes the turn, then saves a checkpoint. The store stays open. */
  stop(): Promise<void>;
}

/** How an engine leads where there are others that could. */
interface Leading {
  readonly publishing: Publishing;
  /** Whether the outside world may be asked now. While it may not, sources are stopped; what they delivered is kept. */
  readonly mayAsk: () => boolean;
}

/** An engine that asks the outside world nothing: it follows the log of another one until it leads. */
export interface StandbyEngine {
  /** Resolves when the use of the disk was reported for the first time. */
  readonly diskKnown: Promise<void>;
  /** Applies a block that the leading engine has logged, and resolves to its outputs, without requests to simulators. */
  follow(observations: readonly Observation[]): Promise<readonly Output[]>;
  /** The latest outputs of the streams that are not stored, as a new leader publishes them. */
  passing(): readonly Output[];
  /** Starts the sources and the clock. Called once. */
  lead(leading?: Leading): Engine;
  /** Saves a checkpoint; that of an engine that leads is its own `stop`. The store stays open. */
  stop(): Promise<void>;
}

/** An engine that is being opened. */
export interface OpeningEngine {
  /** Whether readers can already be served what an earlier run has stored, except what depends on signals. */
  readonly hasValues: boolean;
  /** Resolves when the engine runs. While the disk refuses what a crash kept from being stored, it does not. */
  readonly opened: Promise<Engine>;
  /** Waits no longer for a disk that refuses writes: `opened` then rejects. */
  giveUp(): void;
}

/** Recovers the store, then starts the sources and the clock. Resolves when stored values are loaded. */
export async function beginEngine(deps: EngineDeps): Promise<OpeningEngine> {
  const recovery = await recoveryOf(deps);
  const open = async () => {
    const standby = await standBy(deps, recovery);
    const engine = standby.lead();
    await standby.diskKnown;
    return engine;
  };
  return { hasValues: recovery.hasValues, opened: open(), giveUp: recovery.stop };
}

function recoveryOf(deps: EngineDeps): Promise<Recovery> {
  const { store, latest, report } = deps;
  return beginRecovery(store, latest, {
    elapsedMs: bootNoteOf(deps).elapsedMs,
    onRefused: (error) => report({ type: 'refused_write', error }),
    onProgress: (share) => report({ type: 'recovering', share }),
  });
}

function bootNoteOf({ store, clock, sinceBoot = clock.wall }: EngineDeps): BootNote {
  return createBootNote(store.notes, { wall: clock.wall, sinceBoot });
}

/** The same in one step. */
export async function openEngine(deps: EngineDeps): Promise<Engine> {
  const { opened } = await beginEngine(deps);
  return opened;
}

/** Recovers the store. Resolves when there is something to serve. */
export async function openStandby(deps: EngineDeps): Promise<StandbyEngine> {
  return standBy(deps, await recoveryOf(deps));
}

async function standBy(deps: EngineDeps, recovery: Recovery): Promise<StandbyEngine> {
  const { store, latest, clock, report } = deps;
  const startedAt = clock.mono();
  const { state, replayed } = await recovery.finish();
  report({ type: 'recovered', head: store.journal.head, replayed, ms: clock.mono() - startedAt });

  const statuses = new Map<string, SourceStatus>();
  let isStopping = false;
  let refusedSince: number | undefined;

  const turns = createTurns({
    ...deps,
    journal: store.journal,
    outputs: store.outputs,
    state,
    request: ({ record, seq }) => simulators?.ask(record, seq),
    report(turn) {
      if (turn.type === 'turn') refusedSince = undefined;
      else if (turn.type === 'refused_write') refusedSince ??= clock.mono();
      report(turn);
    },
  });

  const writesHeldMs = () => {
    if (refusedSince !== undefined) return clock.mono() - refusedSince;
    const ms = store.unfinishedWriteMs();
    return ms > SLOW_WRITE_MS ? ms : 0;
  };

  /** Undefined until this engine leads. */
  let simulators: SimulationPool | undefined;
  const reportFailure = (error: unknown) => report({ type: 'maintenance_failed', error });

  const checkpoint = async () => {
    const taken = await turns.between(() => takeCheckpoint(store, state, turns.lastAt()));
    if (taken === undefined) return;
    await store.checkpoints.save(taken);
    await thinCheckpoints(store);
    report({ type: 'checkpoint', seq: taken.seq, bytes: bytesIn(taken) });
  };
  const prune = createRetention({ ...deps, mono: clock.mono, isStopping: () => isStopping });
  const watchDisk = async () => {
    report({ type: 'disk', storeBytes: store.sizeBytes(), ...(await deps.disk()) });
  };
  // A task that fails is reported and tried again after its period. It must not stop the engine.
  const every = (periodMs: number, task: () => Promise<void>) =>
    interval(periodMs)
      .pipe(exhaustMap(() => task().catch(reportFailure)))
      .subscribe();
  const firstMs = Math.min(FIRST_CHECKPOINT_MS, deps.checkpointMs);
  const waitAfter = (waitMs: number) => Math.min(Math.max(firstMs, 2 * waitMs), deps.checkpointMs);
  const saveAfter = (waitMs: number) =>
    timer(waitMs).pipe(
      concatMap(() => checkpoint().catch(reportFailure)),
      map(() => waitAfter(waitMs)),
    );
  const running: Subscription[] = [
    // At once after a recovery: a process that is killed again and again would have ever more of the log to read.
    of(replayed > 0 ? 0 : firstMs)
      .pipe(expand(saveAfter))
      .subscribe(),
    every(PRUNE_MS, prune),
    every(WATCH_DISK_MS, watchDisk),
    interval(WATCH_WRITES_MS).subscribe(() => {
      const ms = writesHeldMs();
      if (ms > 0) report({ type: 'writes_held', ms });
    }),
  ];
  /** Settles when the last tick, and what is noted with it, is on disk. */
  let ticked: Promise<void> = Promise.resolve();
  const diskKnown = watchDisk().catch(reportFailure);
  const goOn = async () => {
    await delay(CHECK_PAUSE_MS);
    return !isStopping;
  };
  // What it finds is told to those who listen for damage too.
  const checking = store.outputs.check(goOn).catch(reportFailure);

  const stop = async () => {
    isStopping = true;
    for (const subscription of running.reverse()) subscription.unsubscribe();
    await simulators?.stop();
    await checking;
    await turns.stop();
    await ticked;
    await checkpoint().catch(reportFailure);
  };

  const lead = (leading?: Leading): Engine => {
    if (leading !== undefined) turns.publishTo(leading.publishing);
    const watermarks = createWatermarks(clock);
    const boot = bootNoteOf(deps);
    const lastTick = lastTickOf(store);
    if (lastTick) {
      watermarks.restore(restoredAges(lastTick, deps), boot.elapsedMs(calendarAt(lastTick)));
    }
    simulators = createSimulationPool({
      report,
      deliver: (fact) => turns.accept([fact]),
      startWorker: deps.startWorker,
    });
    function tick(...before: readonly SettingsFact[]): Promise<void> {
      let bootedAt = boot.bootedAt();
      const facts = (): readonly Fact[] => {
        // Anew, as the calendar may have been set while the turn waited for the disk.
        bootedAt = boot.bootedAt();
        return [...before, { kind: 'tick', ...watermarks.ages() }];
      };
      ticked = turns
        .acceptAtTurn(facts)
        .then(() => boot.keep(bootedAt))
        .catch(reportFailure);
      return ticked;
    }
    // The settings are logged at every start, which makes the graph repeat the requests that the last process left
    // unanswered. This is not awaited, so that a full disk does not keep readers from being served.
    void tick(deps.settings);

    const accounts = deps.settings.accounts.map(({ id }) => id);
    const lookups = sourceLookupsFrom({ latest, state, accounts, now: clock.wall });
    const supervised = deps.sources.map((source) =>
      supervise(source, {
        clock,
        random: deps.random,
        lookups,
        async deliver(facts, knownAt = clock.wall(), values) {
          const deliveredAt = clock.mono();
          // Taken now: while the disk holds up the turn, what is delivered grows older.
          const markAt = knownAt === null ? null : deliveredAt - Math.max(0, clock.wall() - knownAt);
          await turns.accept(facts);
          if (markAt !== null) watermarks.mark(source.name, markAt, values);
          report({
            type: 'delivered',
            source: source.name,
            facts: facts.length,
            ms: clock.mono() - deliveredAt,
          });
        },
        follow: (values) => watermarks.follow(source.name, values, source.usualMs ?? source.silentAfterMs),
        used: (use) => report({ type: 'used', source: source.name, use }),
        onHeaders: deps.onHeaders,
        onStatus(status, error) {
          statuses.set(status.name, status);
          report({ type: 'source', status, error });
        },
      }),
    );
    const asking$ = merge(...supervised);
    running.push(
      (leading === undefined ? asking$ : whileAllowed(leading.mayAsk, turns.settled, asking$)).subscribe(),
      ticker(clock, () => tick(), deps.speed, deps.tickMs).subscribe(),
      // After the lookups, which tell what is followed. An event that is closed adds nothing to that.
      latest.change$.subscribe((outputs) => {
        if (outputs.some(({ stream, record }) => stream === 'events' && record.phase !== 'closed'))
          watermarks.look();
      }),
    );
    return {
      sources: () => [...statuses.values()],
      writesHeldMs,
      logAheadMs: () => Math.max(0, turns.lastAt() - clock.wall()),
      stop,
    };
  };

  return { diskKnown, follow: turns.follow, passing: () => lastPassing(state), lead, stop };
}
