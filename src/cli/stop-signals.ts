import { EXIT_FAILED } from './failure.ts';
import type { ProcessLike } from './process-like.ts';

/** From the beginning of a stop until the process is ended by force. */
const GRACE_MS = 25_000;

/** By convention the exit code of a command that was interrupted. */
const EXIT_INTERRUPTED = 130;

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

interface StopRequest {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Resolves with the first signal. */
  readonly requested: Promise<void>;
  /** To be called when a stop begins for another reason: ends the process by force 25 s later, with this exit code. */
  limit(exitCode: number): void;
  /** No longer listens to the signals, and forces nothing. */
  release(): void;
}

/** Takes SIGTERM and SIGINT as a request to stop; a second one, or 25 s without an end, exits with 1. */
export function listenForStop(proc: ProcessLike): StopRequest {
  const stop = new AbortController();
  let deadline: NodeJS.Timeout | undefined;
  const force = (reason: string, exitCode: number) => {
    proc.stderr.write(`tallywire: ended by force, ${reason}\n`);
    proc.exit(exitCode);
  };
  const limit = (exitCode: number) => {
    const reason = `as stopping took longer than ${GRACE_MS / 1_000} s`;
    deadline ??= setTimeout(() => force(reason, exitCode), GRACE_MS);
    deadline.unref();
  };
  const onSignal = () => {
    if (stop.signal.aborted) return force('as a second signal came', EXIT_FAILED);
    limit(EXIT_FAILED);
    stop.abort();
  };
  for (const name of SIGNALS) proc.on(name, onSignal);
  return {
    signal: stop.signal,
    requested: new Promise((resolve) =>
      stop.signal.addEventListener('abort', () => resolve(), { once: true }),
    ),
    limit,
    release() {
      clearTimeout(deadline);
      for (const name of SIGNALS) proc.off(name, onSignal);
    },
  };
}

/** Runs work that leaves nothing behind when a signal ends it; resolves to the exit code. */
export async function untilStopped(
  proc: ProcessLike,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<number> {
  const { signal, release } = listenForStop(proc);
  try {
    await work(signal);
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    proc.stderr.write('tallywire: stopped by a signal, nothing was written\n');
    return EXIT_INTERRUPTED;
  } finally {
    release();
  }
}
