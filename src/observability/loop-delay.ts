import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How long the event loop was blocked. */
interface LoopDelay {
  /** The longest delay since the previous call, in ms. */
  worstMs(): number;
  close(): void;
}

const RESOLUTION_MS = 20;

export function createLoopDelay(): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return {
    worstMs() {
      const worstMs = histogram.max / 1e6;
      histogram.reset();
      return worstMs;
    },
    close: () => void histogram.disable(),
  };
}
