/** Figures of the push feed since the start of the process. */
export interface FeedFigures {
  readonly connections: number;
  /** Bytes that were written but not yet sent. */
  readonly unsentBytes: number;
  /** Frames written, to all readers together. */
  readonly sent: number;
  /** Frames that slow readers were not sent, as newer ones replaced them. */
  readonly merged: number;
  /** Bytes of snapshots and missed frames that readers were sent. */
  readonly replayedBytes: number;
  /** Readers that wait for the budget of their caller, or for room while others do not take what they were sent. */
  readonly waiting: number;
  /** Whether what changed while the service was down is still being published. */
  readonly isCatchingUp: boolean;
  /** Connections ended, by code. */
  readonly closed: ReadonlyMap<number, number>;
}

/** The parts of the feed add to these. */
export interface FeedCounters {
  sent: number;
  merged: number;
  replayedBytes: number;
  readonly closed: Map<number, number>;
}

export function countClosed({ closed }: FeedCounters, code: number): void {
  closed.set(code, (closed.get(code) ?? 0) + 1);
}
