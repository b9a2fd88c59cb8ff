/** Why what is shown may no longer be how things are, although the socket is open. */
export type StaleReason =
  /** Not even pings are answered. */
  | 'connection'
  /** The server answers, but its streams take nothing in. */
  | 'graph'
  /** The streams go on, but nothing of it is sent. */
  | 'fan_out'
  /** All goes on, but something of the outside world no longer answers. */
  | 'source';

export type DownReason =
  /** Nobody follows anything, so there is no socket. */
  | 'idle'
  /** Nobody listens there, or the upgrade was refused. */
  | 'unreachable'
  | 'lost'
  /** The server does not want this reader; it is not asked again. */
  | 'refused'
  | 'closed';

export type FeedStatus =
  | { readonly state: 'connecting' | 'resuming' | 'live' }
  | {
      readonly state: 'stale';
      readonly reason: StaleReason;
      /** As the heartbeat calls them, such as `posts/account_a`; of the reason `source` only. */
      readonly sources: readonly string[];
    }
  | {
      readonly state: 'down';
      readonly reason: DownReason;
      /** Of the close of the socket, when there was one. */
      readonly code?: number | undefined;
      /** When another try is made; none is without it. */
      readonly retryInMs?: number | undefined;
    };

export type FeedEvent =
  /** Frames are missing; they are being asked for. */
  | {
      readonly type: 'gap';
      readonly topic: string;
      readonly afterSeq: number | undefined;
      readonly beforeSeq: number;
    }
  /** The server numbers anew; a snapshot follows. */
  | { readonly type: 'epoch'; readonly topic: string; readonly from: string; readonly to: string }
  /** The reader was away for longer than frames are kept; a snapshot follows. */
  | { readonly type: 'cursor_too_old'; readonly topic: string; readonly oldestSeq: number | undefined }
  /** The server is stopping. */
  | { readonly type: 'goodbye'; readonly reason: string }
  | { readonly type: 'error'; readonly code: string; readonly detail: string };

export function sameStatus(a: FeedStatus, b: FeedStatus): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

const IDLE: FeedStatus = { state: 'down', reason: 'idle' };
/** From the worst on. A socket that nobody needs is as good as none. */
const BY_BADNESS: readonly FeedStatus['state'][] = ['down', 'stale', 'connecting', 'resuming', 'live'];

/** What holds for a reader of several sockets. */
export function worstOf(statuses: readonly FeedStatus[]): FeedStatus {
  const isNeeded = (status: FeedStatus) => status.state !== 'down' || status.reason !== 'idle';
  const badness = ({ state }: FeedStatus) => BY_BADNESS.indexOf(state);
  const [worst = IDLE] = statuses.filter(isNeeded).sort((a, b) => badness(a) - badness(b));
  return worst;
}
