import { defer, ignoreElements, map, merge, type Observable, repeat, retry, timer } from 'rxjs';
import { messageOf, SourceError } from '../errors.ts';
import { createCircuit } from '../resilience/circuit-breaker.ts';
import type { Source, SourceContext, SourceLookups, SourceStatus } from '../sources/source.ts';
import type { Clock } from './clock.ts';
import { restartDelay } from './restart-delay.ts';

/** Between two looks at a source that may be silent, at least. */
const WATCH_MS = 1_000;
/** A run this long was a good one: what fails sooner after a start has not recovered, whatever else answered meanwhile. */
const STEADY_MS = 30_000;

interface SuperviseDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly lookups: SourceLookups;
  readonly deliver: SourceContext['deliver'];
  readonly follow: SourceContext['follow'];
  readonly used: SourceContext['used'];
  readonly onHeaders?: SourceContext['onHeaders'];
  readonly onStatus: (status: SourceStatus, error?: unknown) => void;
}

/** From a start of the source to its failure. Times are those of the clock that never goes back. */
interface Run {
  readonly startedAt: number;
  answeredAt: number;
  /** Those that are not stored yet. */
  deliveries: number;
}

/**
 * Runs a source until unsubscribed. A failure, or silence for too long, restarts it after a growing delay, which a good
 * answer of a run without failures resets. A source that completes becomes silent.
 */
export function supervise(source: Source, deps: SuperviseDeps): Observable<never> {
  const { clock, random, lookups, onStatus } = deps;
  return defer(() => {
    let status: SourceStatus = {
      name: source.name,
      state: 'running',
      restarts: 0,
      refused: 0,
      refusedAt: null,
      lastError: null,
    };
    const circuit = createCircuit(clock.mono);
    /** Undefined while none is under way. */
    let present: Run | undefined;

    const change = (next: Partial<SourceStatus>, error?: unknown) => {
      status = { ...status, ...next };
      onStatus(status, error);
    };
    const contextOf = (run: Run): SourceContext => ({
      now: clock.wall,
      mono: clock.mono,
      lookups,
      follow: deps.follow,
      async deliver(facts, knownAt, values) {
        run.deliveries += 1;
        try {
          await deps.deliver(facts, knownAt, values);
        } finally {
          run.deliveries -= 1;
        }
        // What a run delivered before it failed may be stored much later, and says nothing about the source by then.
        if (run !== present) return;
        run.answeredAt = clock.mono();
        if (run.answeredAt - run.startedAt >= STEADY_MS) circuit.answered();
        if (status.state !== 'running') change({ state: 'running' });
      },
      refused: (reason) =>
        change({ refused: status.refused + 1, refusedAt: clock.wall(), lastError: reason }),
      used: deps.used,
      onHeaders: deps.onHeaders,
    });
    const silence = (run: Run) => {
      // There is nothing to see before the time at which it would have been silent for too long.
      const nextLookMs = () => Math.max(WATCH_MS, run.answeredAt + source.silentAfterMs - clock.mono());
      return defer(() => timer(nextLookMs())).pipe(
        map(() => {
          const silentMs = clock.mono() - run.answeredAt;
          // A source that waits for our disk is not silent.
          if (run.deliveries > 0 || silentMs <= source.silentAfterMs) return;
          throw new SourceError(
            'SOURCE_SILENT',
            `no answer from ${source.name} in ${Math.round(silentMs)} ms`,
          );
        }),
        repeat(),
        ignoreElements(),
      );
    };
    onStatus(status);
    return defer(() => {
      const startedAt = clock.mono();
      const run = { startedAt, answeredAt: startedAt, deliveries: 0 };
      present = run;
      return merge(source.run(contextOf(run)), silence(run));
    }).pipe(
      retry({
        delay(error: unknown) {
          present = undefined;
          circuit.failed();
          const state = circuit.isOpen() ? 'open' : 'waiting';
          const lastError = messageOf(error);
          change({ state, restarts: status.restarts + 1, lastError }, error);
          return timer(restartDelay(error, circuit, random));
        },
      }),
    );
  });
}
