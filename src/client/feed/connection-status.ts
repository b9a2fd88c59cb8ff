import { BehaviorSubject, type Observable } from 'rxjs';

/** Why the records may be out of date although the socket is open. */
export type StaleReason =
  /** Not even pings are answered. */
  | 'connection'
  /** The server answers pings, but its streams take in no observations. */
  | 'graph'
  /** The streams run, but their frames do not arrive. */
  | 'fan_out'
  /** Everything runs, but the server calls a source stale. */
  | 'source';

export type DownReason =
  /** Nothing is followed, so there is no socket. */
  | 'idle'
  /** Nothing listens at the address, or the upgrade was refused. */
  | 'unreachable'
  | 'lost'
  /** The server refused this reader; there is no further attempt. */
  | 'refused'
  | 'closed';

export type FeedStatus =
  | { readonly state: 'connecting' | 'resuming' | 'live' }
  | {
      readonly state: 'stale';
      readonly reason: StaleReason;
      /** Names as in heartbeats, such as `posts/account_a`; empty unless the reason is `source`. */
      readonly sources: readonly string[];
    }
  | {
      readonly state: 'down';
      readonly reason: DownReason;
      /** Close code of the socket, when there was one. */
      readonly code?: number | undefined;
      /** Time until the next attempt; undefined when there is none. */
      readonly retryInMs?: number | undefined;
    };

const IDLE: FeedStatus = { state: 'down', reason: 'idle' };

/** The status of one connection over time. */
interface ConnectionStatus {
  readonly status$: Observable<FeedStatus>;
  readonly current: FeedStatus;
  /** Emits nothing when the status is the same as before. */
  set(status: FeedStatus): void;
  /** Sets `connecting`, or `resuming` if the connection was live before. */
  setPending(): void;
  /** Starts over: the next pending status is `connecting`. */
  reset(): void;
}

export function createConnectionStatus(): ConnectionStatus {
  const status$ = new BehaviorSubject(IDLE);
  let wasLive = false;

  function set(status: FeedStatus): void {
    wasLive ||= status.state === 'live';
    if (!isSameStatus(status, status$.value)) status$.next(status);
  }

  return {
    status$,
    get current() {
      return status$.value;
    },
    set,
    setPending: () => set({ state: wasLive ? 'resuming' : 'connecting' }),
    reset() {
      wasLive = false;
    },
  };
}

export function isSameStatus(a: FeedStatus, b: FeedStatus): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

const WORST_FIRST: readonly FeedStatus['state'][] = ['down', 'stale', 'connecting', 'resuming', 'live'];

/** The status of a reader with several sockets. An idle socket does not count. */
export function worstOf(statuses: readonly FeedStatus[]): FeedStatus {
  const isUsed = (status: FeedStatus) => status.state !== 'down' || status.reason !== 'idle';
  const rank = ({ state }: FeedStatus) => WORST_FIRST.indexOf(state);
  const [worst = IDLE] = statuses.filter(isUsed).sort((a, b) => rank(a) - rank(b));
  return worst;
}
