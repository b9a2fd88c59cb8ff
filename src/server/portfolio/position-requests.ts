import { RequestError, SourceError } from '../../errors.ts';
import { backoffDelay } from '../../resilience/backoff.ts';
import { createCircuit } from '../../resilience/circuit-breaker.ts';
import type { Position, Positions } from '../../sources/positions/position.ts';

export interface RequestLimits {
  /** Concurrent requests to the market. It answers 200 of them within a second. */
  readonly atOnce: number;
  /** Wallets that may wait for their turn. */
  readonly waiting: number;
  /** The pause after the market failed. It doubles up to `maxPauseMs`. */
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
}

export const REQUEST_LIMITS: RequestLimits = {
  atOnce: 200,
  waiting: 1_000,
  firstPauseMs: 500,
  maxPauseMs: 5_000,
};

/** A longer Retry-After of the market is cut to this. */
const MAX_RETRY_AFTER_MS = 60_000;

export interface PositionRequests {
  /** Rejects with a 503 when the market does not answer, and at once while it is known to be down. */
  read(wallet: string): Promise<readonly Position[]>;
  close(): void;
}

/**
 * While the market is down callers are refused at once, and the market is probed in the background. No caller serves as
 * the probe, as it would wait for the whole timeout if the market hangs.
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
  /** Each waiting caller is called with true for its turn, or with false when the market went down. */
  const queue: ((isTurn: boolean) => void)[] = [];

  const refusal = () => unreachable(circuit.retryInMs());

  async function ask(wallet: string): Promise<readonly Position[]> {
    const answersBefore = answers;
    try {
      const rows = await positions.of(wallet).catch((error: unknown) => {
        // The market may just have closed an idle connection, so this is tried once more.
        if (error instanceof SourceError && error.code === 'SOURCE_NETWORK') return positions.of(wallet);
        throw error;
      });
      answers += 1;
      endOutage();
      return rows;
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      // If others were answered meanwhile, only this wallet fails.
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

  // Probes with the last wallet, so that one slow wallet cannot prolong the outage for others.
  async function tryAgain(): Promise<void> {
    const ownProbe = probe;
    const error = await positions.of(lastWallet).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    // The outage ended meanwhile, or the service stopped.
    if (probe !== ownProbe) return;
    if (error instanceof SourceError && isOfHost(error)) probeAfter(error);
    // Any other error is left to the next caller.
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
        // The turn passes directly to the next in the queue, so that no new caller can take it.
        const next = queue.shift();
        if (next === undefined) running -= 1;
        else next(true);
      }
    },
    close: endOutage,
  };
}

/** Whether the market itself is in trouble, and not only its answer for one wallet. */
function isOfHost({ code, status = 0 }: SourceError): boolean {
  if (code === 'SOURCE_STATUS') return status >= 500 || status === 429;
  return code === 'SOURCE_TIMEOUT' || code === 'SOURCE_NETWORK';
}

function unreachable(retryInMs: number): RequestError {
  return new RequestError(503, 'market_unreachable', 'The market could not be asked for the positions', {
    'Retry-After': String(Math.max(1, Math.ceil(retryInMs / 1_000))),
  });
}
