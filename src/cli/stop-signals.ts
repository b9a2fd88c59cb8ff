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
  /** To be called when a stop begins for another reason: ends the process by force 25 s later. */
  limit(): void;
  /** No longer listens to the signals, and forces nothing. */
  release(): void;
}

/** Takes SIGTERM and SIGINT as a request to stop; a second one, or 25 s without an end, exits with 1. */
export function listenForStop(proc: ProcessLike): StopRequest {
  const stop = new AbortController();
  let deadline: NodeJS.Timeout | undefined;
  const force = (reason: string) => {
    proc.stderr.write(`tallywire: ended by force, ${reason}\n`);
    proc.exit(1);
  };
  const limit = () => {
    deadline ??= setTimeout(() => force(`as stopping took longer than ${GRACE_MS / 1_000} s`), GRACE_MS);
    deadline.unref();
  };
  const onSignal = () => {
    if (stop.signal.aborted) return force('as a second signal came');
    limit();
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
