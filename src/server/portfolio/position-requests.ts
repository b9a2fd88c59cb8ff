import { RequestError, SourceError } from '../../errors.ts';
import type { Position, Positions } from '../../sources/positions/position.ts';

export interface LineLimits {
  /** Wallets asked about at once. 200 new wallets are one round, which a market that takes 300 ms ends within a second. */
  readonly atOnce: number;
  /** Wallets that may wait for their turn. */
  readonly waiting: number;
  /** Until the market is tried again after it failed; doubles up to `maxPauseMs`. */
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
}

export const LINE_LIMITS: LineLimits = { atOnce: 200, waiting: 1_000, firstPauseMs: 500, maxPauseMs: 5_000 };

/** What a market says of when to come back is heeded up to this. */
const MAX_RETRY_AFTER_MS = 60_000;

/** The line to the market that all callers share. */
export interface PositionRequests {
  /** Rejects with a RequestError 503 when the market cannot be asked, at once while it is known to be down. */
  read(wallet: string): Promise<readonly Position[]>;
  close(): void;
}

/**
 * While the market is down nobody waits for it: callers are refused at once, and it is probed behind their backs. A
 * caller is never the probe, as a market that hangs would have them wait for its whole timeout.
 */
export function createPositionRequests(
  positions: Positions,
  limits: LineLimits = LINE_LIMITS,
): PositionRequests {
  let running = 0;
  let answers = 0;
  let lastWallet = '';
  let outage: { readonly probe: NodeJS.Timeout; readonly probeAtMs: number } | undefined;
  /** Those who wait are told whether it is their turn, or that there will be none. */
  const queue: ((isTurn: boolean) => void)[] = [];

  const refusal = () => unreachable(outage === undefined ? 0 : outage.probeAtMs - performance.now());

  async function ask(wallet: string): Promise<readonly Position[]> {
    const answersBefore = answers;
    try {
      const rows = await positions.of(wallet).catch((error: unknown) => {
        // A kept connection that the market had just let go says nothing about the market: ask once more.
        if (error instanceof SourceError && error.code === 'SOURCE_NETWORK') return positions.of(wallet);
        throw error;
      });
      answers += 1;
      endOutage();
      return rows;
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      // Others were answered meanwhile, so it is this wallet that the market is slow with.
      if (isOfHost(error) && answers === answersBefore) beginOutage(error);
      throw refusal();
    }
  }

  function beginOutage(error: SourceError): void {
    if (outage === undefined) probeAfter(limits.firstPauseMs, error);
    for (const tell of queue.splice(0)) tell(false);
  }

  function endOutage(): void {
    clearTimeout(outage?.probe);
    outage = undefined;
  }

  function probeAfter(pauseMs: number, { retryAfterMs = 0 }: SourceError): void {
    const waitMs = Math.max(pauseMs, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
    const probe = setTimeout(() => void tryAgain(Math.min(2 * pauseMs, limits.maxPauseMs)), waitMs);
    probe.unref();
    outage = { probe, probeAtMs: performance.now() + waitMs };
  }

  // About the wallet asked for last: one that the market is slow with cannot keep the line closed for the others.
  async function tryAgain(nextPauseMs: number): Promise<void> {
    const asked = outage;
    const error = await positions.of(lastWallet).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    // Meanwhile a question of before the outage was answered, or the line was closed.
    if (outage !== asked) return;
    if (error instanceof SourceError && isOfHost(error)) probeAfter(nextPauseMs, error);
    // Any other error is the next caller's to meet and to be told.
    else endOutage();
  }

  return {
    async read(wallet) {
      lastWallet = wallet;
      if (outage !== undefined) throw refusal();
      if (running < limits.atOnce) running += 1;
      else if (queue.length >= limits.waiting) throw refusal();
      else if (!(await new Promise<boolean>((resolve) => queue.push(resolve)))) throw refusal();
      try {
        return await ask(wallet);
      } finally {
        // A turn goes from hand to hand, so that nobody who comes just now can take it as well.
        const next = queue.shift();
        if (next === undefined) running -= 1;
        else next(true);
      }
    },
    close: endOutage,
  };
}

/** Trouble with the market itself, not with what it says of one wallet. */
function isOfHost({ code, status = 0 }: SourceError): boolean {
  if (code === 'SOURCE_STATUS') return status >= 500 || status === 429;
  return code === 'SOURCE_TIMEOUT' || code === 'SOURCE_NETWORK';
}

function unreachable(retryInMs: number): RequestError {
  return new RequestError(503, 'market_unreachable', 'The market could not be asked for the positions', {
    'Retry-After': String(Math.max(1, Math.ceil(retryInMs / 1_000))),
  });
}
