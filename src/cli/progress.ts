import type { OutputStream } from './process-like.ts';

const BAR_CHARS = 30;
const BAR_PERIOD_MS = 100;
const LINE_PERIOD_MS = 5_000;

/** The progress of a long task and the time left: a bar on a terminal, a line every 5 s elsewhere. */
export function createProgress(stderr: OutputStream) {
  const periodMs = stderr.isTTY ? BAR_PERIOD_MS : LINE_PERIOD_MS;
  const startedAt = performance.now();
  let shownAt = startedAt;
  let hasBar = false;
  return {
    /** `share` is above 0, and 1 at the end. */
    show(what: string, share: number): void {
      const now = performance.now();
      if (now - shownAt < periodMs) return;
      shownAt = now;
      const secondsLeft = Math.ceil(((now - startedAt) / 1_000) * (1 / share - 1));
      const text = `${what}, ${Math.floor(share * 100)} %, ${secondsLeft} s left`;
      const bar = '#'.repeat(Math.round(share * BAR_CHARS)).padEnd(BAR_CHARS);
      hasBar = stderr.isTTY === true;
      stderr.write(hasBar ? `\r[${bar}] ${text}\u001b[K` : `${text}\n`);
    },
    /** Removes the bar. */
    end(): void {
      if (hasBar) stderr.write('\r\u001b[K');
    },
  };
}
