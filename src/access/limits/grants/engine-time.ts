/** Clocks of two machines differ in speed by less than this part. */
const MOST_DRIFT = 0.000_2;
/** An answer that took longer says too little about the engine's time. */
const MOST_DELAY_MS = 10_000;

/** The engine's time as an edge knows it: when the message with `sentAt` was answered, it was `at`. */
export interface EngineTime {
  readonly at: number;
  /** The edge's own clock, ms. */
  readonly sentAt: number;
}

/** The latest that the engine's time can be: it answered after it was asked. UTC ms. */
export function latestAt({ at, sentAt }: EngineTime, now: number): number {
  return at + (now - sentAt) * (1 + MOST_DRIFT);
}

/** The newer of what was known and what an answer tells. */
export function newerTime(
  known: EngineTime | undefined,
  told: EngineTime,
  now: number,
): EngineTime | undefined {
  if (now - told.sentAt > MOST_DELAY_MS) return known;
  return known === undefined || told.sentAt > known.sentAt ? { at: told.at, sentAt: told.sentAt } : known;
}
