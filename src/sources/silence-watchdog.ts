import { concatMap, EMPTY, type Observable, throwError, timer } from 'rxjs';
import { SourceError } from '../errors.ts';

/** Watches that data keeps coming: a live socket is not live data. */
interface SilenceWatchdog {
  readonly dataArrived: () => void;
  /** Errors with SOURCE_SILENT once no data arrived for the time given, or up to a sixth longer. */
  readonly silence$: Observable<never>;
}

const STEPS = 6;

// Steps are counted instead of clock times compared: a clock can be set back, and a timer set anew for
// each of a thousand frames a second costs more than a counter.
export function createSilenceWatchdog(silentMs: number, what: string): SilenceWatchdog {
  let idleSteps = 0;
  const stepMs = silentMs / STEPS;
  return {
    dataArrived: () => {
      idleSteps = 0;
    },
    silence$: timer(stepMs, stepMs).pipe(
      concatMap(() => {
        idleSteps += 1;
        if (idleSteps <= STEPS) return EMPTY;
        return throwError(() => new SourceError('SOURCE_SILENT', `no ${what} for ${silentMs} ms`));
      }),
    ),
  };
}
