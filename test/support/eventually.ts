import { setTimeout as delay } from 'node:timers/promises';

/** Far longer than any machine needs: it only decides how soon a failure shows. */
const GIVE_UP_MS = 90_000;

/** Resolves once `holds` does; rejects with `what` when it never does. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const until = performance.now() + GIVE_UP_MS;
  while (!(await holds())) {
    if (performance.now() > until) throw new Error(`never came: ${what}`);
    await delay(2);
  }
}
