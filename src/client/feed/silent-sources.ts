/** Longest normal silence of a source, by role, where the server does not give its own limit. */
const LONGEST_MS: Readonly<Record<string, number>> = {
  posts: 10_000,
  oracle: 900_000,
  ui: 300_000,
  prices: 60_000,
  crypto: 60_000,
};
/** For a source that is asked each second: with a heartbeat a second its silence shows in less than three. */
const SHORTEST_MS = 1_600;
const PEAKS_KEPT = 60;
/** With fewer peaks the rhythm of a source is not known. */
const PEAKS_NEEDED = 3;

/** Finds sources that have stopped answering, from the ages in heartbeats. */
interface SilentSources {
  /**
   * Names of the sources that are silent for too long. `ts` is the time of the ages by the server's clock, `limits` are
   * the server's own by role.
   */
  update(
    ages: Readonly<Record<string, number>>,
    ts: number,
    limits?: Readonly<Record<string, number>>,
  ): readonly string[];
}

/**
 * A source is silent once its age is twice the greatest age between its last answers. `limitsMs` replaces that
 * rule, by name (`posts/account_a`) or role (`posts`).
 */
export function createSilentSources(limitsMs: Readonly<Record<string, number>> = {}): SilentSources {
  const lastAges = new Map<string, number>();
  let lastTs = 0;
  let longestMs = LONGEST_MS;
  /** Ages just before an answer, by source. */
  const peaks = new Map<string, number[]>();

  function limitOf(name: string): number {
    const role = name.split('/')[0] ?? name;
    const given = limitsMs[name] ?? limitsMs[role];
    if (given !== undefined) return given;
    // Other sources only add to these: their silence means little.
    const longest = longestMs[role] ?? Number.POSITIVE_INFINITY;
    const known = peaks.get(name) ?? [];
    if (known.length < PEAKS_NEEDED) return longest;
    return Math.min(longest, Math.max(SHORTEST_MS, 2 * Math.max(...known)));
  }

  function learnRhythm(name: string, ageMs: number, elapsedMs: number): void {
    const lastMs = lastAges.get(name);
    lastAges.set(name, ageMs);
    // Without an answer in between the age would have grown by all the time that passed.
    if (lastMs === undefined || ageMs > lastMs + elapsedMs / 2) return;
    const known = peaks.get(name) ?? [];
    peaks.set(name, known);
    // A short delay is part of the rhythm. A long silence is not, or the next one would be noticed later.
    if (lastMs < 2 * limitOf(name)) known.push(lastMs);
    if (known.length > PEAKS_KEPT) known.shift();
  }

  return {
    update(ages, ts, limits) {
      longestMs = { ...LONGEST_MS, ...limits };
      const limited = Object.entries(ages).filter(([name]) => Number.isFinite(limitOf(name)));
      for (const [name, ageMs] of limited) learnRhythm(name, ageMs, ts - lastTs);
      lastTs = ts;
      return limited.filter(([name, ageMs]) => ageMs >= limitOf(name)).map(([name]) => name);
    },
  };
}
