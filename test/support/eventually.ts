import { setTimeout as delay } from 'node:timers/promises';

/** Resolves once `holds` does; rejects with `what` when it does not within the time. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 5_000,
): Promise<void> {
  const until = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > until) throw new Error(`not within ${withinMs} ms: ${what}`);
    await delay(2);
  }
}
