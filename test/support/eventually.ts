import { setTimeout as delay } from 'node:timers/promises';

/** Far longer than any machine needs: it only decides how soon a failure shows. */
const GIVE_UP_MS = 90_000;
const SHORTEST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 100;

/**
 * Resolves once `holds` does; rejects with `what` when it never does. A long wait asks rarely, as what is waited for
 * needs the machine too.
 */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const from = performance.now();
  while (!(await holds())) {
    const waitedMs = performance.now() - from;
    if (waitedMs > GIVE_UP_MS) throw new Error(`never came: ${what}`);
    await delay(Math.min(Math.max(SHORTEST_PAUSE_MS, waitedMs / 10), LONGEST_PAUSE_MS));
  }
}
