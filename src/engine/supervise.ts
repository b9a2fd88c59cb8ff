import { defer, ignoreElements, interval, map, merge, type Observable, retry, timer } from 'rxjs';
import { SourceError } from '../errors.ts';
import type { Source, SourceContext, SourceLookups, SourceStatus } from '../sources/source.ts';
import { CIRCUIT_FAILURES, delayBefore } from './backoff.ts';
import type { Clock } from './clock.ts';

/** How often the age of a source's data is looked at. */
const WATCH_MS = 1_000;

export interface SuperviseDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly known: SourceLookups;
  readonly deliver: SourceContext['deliver'];
  readonly onStatus: (status: SourceStatus, error?: unknown) => void;
}

/**
 * Runs a source for ever: a failure or a silence (an end by itself is one) restarts it after a growing
 * delay, and a good answer sets the delay back. Ends only by unsubscription.
 */
export function supervise(source: Source, deps: SuperviseDeps): Observable<never> {
  const { clock, random, known, onStatus } = deps;
  return defer(() => {
    let status: SourceStatus = {
      name: source.name,
      state: 'running',
      restarts: 0,
      refused: 0,
      lastError: null,
    };
    let failures = 0;
    let heardAt = clock.mono();
    let deliveries = 0;

    const change = (next: Partial<SourceStatus>, error?: unknown) => {
      status = { ...status, ...next };
      onStatus(status, error);
    };
    const context: SourceContext = {
      now: clock.wall,
      known,
      async deliver(facts) {
        deliveries += 1;
        try {
          await deps.deliver(facts);
        } finally {
          deliveries -= 1;
        }
        heardAt = clock.mono();
        failures = 0;
        if (status.state !== 'running') change({ state: 'running' });
      },
      refused: (reason) => change({ refused: status.refused + 1, lastError: reason }),
    };
    const silence$ = interval(WATCH_MS).pipe(
      map(() => {
        const silentMs = clock.mono() - heardAt;
        // What waits for our own disk is not the source's silence.
        if (deliveries > 0 || silentMs <= source.silentAfterMs) return;
        throw new SourceError('SOURCE_SILENT', `no answer from ${source.name} in ${Math.round(silentMs)} ms`);
      }),
      ignoreElements(),
    );
    onStatus(status);
    return defer(() => {
      heardAt = clock.mono();
      return merge(source.run(context), silence$);
    }).pipe(
      retry({
        delay(error: unknown) {
          failures += 1;
          const state = failures >= CIRCUIT_FAILURES ? 'open' : 'waiting';
          const lastError = error instanceof Error ? error.message : String(error);
          change({ state, restarts: status.restarts + 1, lastError }, error);
          return timer(delayBefore(error, failures, random));
        },
      }),
    );
  });
}
