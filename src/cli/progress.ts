import type { ShellStream } from './shell.ts';

const BAR_CHARS = 30;
const BAR_PERIOD_MS = 100;
const LINE_PERIOD_MS = 5_000;

/** How far a long task is: a bar that redraws itself on a terminal, now and then a line elsewhere. */
export function createProgress(stderr: ShellStream, done: string) {
  const periodMs = stderr.isTTY ? BAR_PERIOD_MS : LINE_PERIOD_MS;
  let shownAt = performance.now();
  let hasBar = false;
  return {
    show(seq: number, head: number, first = 0): void {
      if (performance.now() - shownAt < periodMs) return;
      shownAt = performance.now();
      const share = head === first ? 1 : (seq - first) / (head - first);
      const text = `${done} seq ${seq} of ${head}, ${Math.floor(share * 100)} %`;
      const filled = Math.round(share * BAR_CHARS);
      hasBar = stderr.isTTY === true;
      stderr.write(hasBar ? `\r[${'#'.repeat(filled).padEnd(BAR_CHARS)}] ${text}` : `${text}\n`);
    },
    /** Takes the bar away. */
    end(): void {
      if (hasBar) stderr.write('\r\u001b[K');
    },
  };
}
