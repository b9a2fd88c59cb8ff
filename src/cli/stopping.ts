import type { Shell } from './shell.ts';

/** From the first signal to the end by force. */
const GRACE_MS = 25_000;

/** What shells expect of a command that an interrupt ended. */
const EXIT_INTERRUPTED = 130;

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

export interface Stopping {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Resolves with the first signal. */
  readonly asked: Promise<void>;
  /** Gives the signals back. */
  release(): void;
}

/** Takes SIGTERM and SIGINT as a request to stop; a second one, or 25 s without an end, ends the process with 1. */
export function listenForStop(shell: Shell): Stopping {
  const stop = new AbortController();
  let deadline: NodeJS.Timeout | undefined;
  const force = (reason: string) => {
    shell.stderr.write(`tallywire: ended by force, ${reason}\n`);
    shell.exit(1);
  };
  const onSignal = () => {
    if (stop.signal.aborted) return force('as a second signal came');
    deadline = setTimeout(() => force(`as stopping took longer than ${GRACE_MS / 1_000} s`), GRACE_MS);
    deadline.unref();
    stop.abort();
  };
  for (const name of SIGNALS) shell.on(name, onSignal);
  return {
    signal: stop.signal,
    asked: new Promise((resolve) => stop.signal.addEventListener('abort', () => resolve(), { once: true })),
    release() {
      clearTimeout(deadline);
      for (const name of SIGNALS) shell.off(name, onSignal);
    },
  };
}

/** Does work that leaves nothing behind when a signal ends it; resolves to the exit code. */
export async function untilStopped(
  shell: Shell,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<number> {
  const { signal, release } = listenForStop(shell);
  try {
    await work(signal);
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    shell.stderr.write('tallywire: stopped by a signal, nothing was written\n');
    return EXIT_INTERRUPTED;
  } finally {
    release();
  }
}
