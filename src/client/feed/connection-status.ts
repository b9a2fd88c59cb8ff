import { BehaviorSubject, type Observable } from 'rxjs';
import { type FeedStatus, sameStatus } from './status.ts';

/** How the reader stands with the server, as it is shown. */
export interface Standing {
  readonly status$: Observable<FeedStatus>;
  readonly now: FeedStatus;
  /** The same twice in a row is shown once. */
  show(status: FeedStatus): void;
  /** On the way to live: for the first time, or again. */
  begin(): void;
  /** Whatever was live before no longer counts. */
  anew(): void;
}

export function createStanding(): Standing {
  const status$ = new BehaviorSubject<FeedStatus>({ state: 'down', reason: 'idle' });
  let wasLive = false;

  function show(status: FeedStatus): void {
    wasLive ||= status.state === 'live';
    if (!sameStatus(status, status$.value)) status$.next(status);
  }

  return {
    status$,
    get now() {
      return status$.value;
    },
    show,
    begin: () => show({ state: wasLive ? 'resuming' : 'connecting' }),
    anew() {
      wasLive = false;
    },
  };
}
