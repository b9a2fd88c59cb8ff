import { RequestError, SourceError } from '../../errors.ts';
import { backoffDelay } from '../../resilience/backoff.ts';
import { createCircuit } from '../../resilience/circuit-breaker.ts';
import type { Position, Positions } from '../../sources/positions/position.ts';

export interface RequestLimits {
  /** Wallets asked for at once. 200 new wallets are one round, which a market that takes 300 ms ends within a second. */
  readonly atOnce: number;
  /** Wallets that may wait for their turn. */
  readonly waiting: number;
  /** Until the market is tried again after it failed; doubles up to `maxPauseMs`. */
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
}

export const REQUEST_LIMITS: RequestLimits = {
  atOnce: 200,
  waiting: 1_000,
  firstPauseMs: 500,
  maxPauseMs: 5_000,
};

/** A longer time that the market asks for is cut to this. */
const MAX_RETRY_AFTER_MS = 60_000;

/** The requests of all callers to the market. */
export interface PositionRequests {
  /** Rejects with a RequestError 503 when the market cannot be asked, at once while it is known to be down. */
  read(wallet: string): Promise<readonly Position[]>;
  close(): void;
}

/**
 * While the market is down nobody waits for it: callers are refused at once, and it is probed in the background. A
 * caller is never the probe, as a market that hangs would have them wait for its whole timeout.
 */
export function createPositionRequests(
  positions: Positions,
  limits: RequestLimits = REQUEST_LIMITS,
): PositionRequests {
  const circuit = createCircuit(() => performance.now(), { maxFailures: 1 });
  const pauses = { firstMs: limits.firstPauseMs, longestMs: limits.maxPauseMs };
  let running = 0;
  let answers = 0;
  let lastWallet = '';
  let probe: NodeJS.Timeout | undefined;
  /** Each is called with whether it is the caller's turn, or there will be none. */
  const queue: ((isTurn: boolean) => void)[] = [];

  const refusal = () => unreachable(circuit.retryInMs());

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
      // Others were answered meanwhile, so the market is slow with this wallet alone.
      if (isOfHost(error) && answers === answersBefore) beginOutage(error);
      throw refusal();
    }
  }

  function beginOutage(error: SourceError): void {
    if (!circuit.isOpen()) probeAfter(error);
    for (const resolve of queue.splice(0)) resolve(false);
  }

  function endOutage(): void {
    clearTimeout(probe);
    probe = undefined;
    circuit.answered();
  }

  function probeAfter({ retryAfterMs = 0 }: SourceError): void {
    const pauseMs = backoffDelay(pauses, circuit.failures + 1);
    const waitMs = Math.max(pauseMs, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
    circuit.failed(waitMs);
    probe = setTimeout(() => void tryAgain(), waitMs);
    probe.unref();
  }

  // With the wallet asked for last, so that a wallet the market is slow with cannot prolong the outage for others.
  async function tryAgain(): Promise<void> {
    const ownProbe = probe;
    const error = await positions.of(lastWallet).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    // Meanwhile an earlier request was answered, or the service stopped.
    if (probe !== ownProbe) return;
    if (error instanceof SourceError && isOfHost(error)) probeAfter(error);
    // The next caller meets any other error.
    else endOutage();
  }

  return {
    async read(wallet) {
      lastWallet = wallet;
      if (circuit.isOpen()) throw refusal();
      if (running < limits.atOnce) running += 1;
      else if (queue.length >= limits.waiting) throw refusal();
      else if (!(await new Promise<boolean>((resolve) => queue.push(resolve)))) throw refusal();
      try {
        return await ask(wallet);
      } finally {
        // A turn is handed on directly, so that nobody who comes just now can take it as well.
        const next = queue.shift();
        if (next === undefined) running -= 1;
        else next(true);
      }
    },
    close: endOutage,
  };
}

/** Trouble with the market itself, not with its answer for one wallet. */
function isOfHost({ code, status = 0 }: SourceError): boolean {
  if (code === 'SOURCE_STATUS') return status >= 500 || status === 429;
  return code === 'SOURCE_TIMEOUT' || code === 'SOURCE_NETWORK';
}

function unreachable(retryInMs: number): RequestError {
  return new RequestError(503, 'market_unreachable', 'The market could not be asked for the positions', {
    'Retry-After': String(Math.max(1, Math.ceil(retryInMs / 1_000))),
  });
}
