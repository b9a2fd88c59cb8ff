import type { Writable } from 'node:stream';

const BAR_CHARS = 30;
const BAR_PERIOD_MS = 200;
const LINE_PERIOD_MS = 5_000;

/** How far a backtest is and how long it will take: a bar on a terminal, now and then a line elsewhere. */
export function createCountdown(stderr: Writable & { readonly isTTY?: boolean }) {
  const periodMs = stderr.isTTY ? BAR_PERIOD_MS : LINE_PERIOD_MS;
  const startedAt = performance.now();
  let shownAt = startedAt;
  let hasBar = false;
  return {
    show(done: number, all: number): void {
      const now = performance.now();
      if (now - shownAt < periodMs) return;
      shownAt = now;
      const share = done / all;
      const secondsLeft = Math.ceil(((now - startedAt) / 1_000) * (1 / share - 1));
      const text = `${done} of ${all} forecasts, ${Math.floor(share * 100)} %, ${secondsLeft} s left`;
      hasBar = stderr.isTTY === true;
      const bar = '#'.repeat(Math.round(share * BAR_CHARS)).padEnd(BAR_CHARS);
      stderr.write(hasBar ? `\r[${bar}] ${text}\u001b[K` : `${text}\n`);
    },
    /** Takes the bar away. */
    end(): void {
      if (hasBar) stderr.write('\r\u001b[K');
    },
  };
}
