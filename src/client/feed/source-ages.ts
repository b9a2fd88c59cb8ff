/** Longest silence of a source that is not yet news, unless its own rhythm is faster. As the server's own limits. */
const LONGEST_MS: Readonly<Record<string, number>> = {
  posts: 10_000,
  oracle: 900_000,
  ui: 300_000,
  prices: 60_000,
  crypto: 60_000,
};
/** Two missed answers of a source that is asked each second. */
const SHORTEST_MS = 2_000;
const RHYTHMS_KEPT = 60;
/** Before so many answers were seen a rhythm is not known. */
const RHYTHMS_NEEDED = 3;

/** Tells which sources have stopped answering, from the ages in heartbeats. */
export interface SourceAges {
  /** The names of those that are silent for too long now. */
  take(ages: Readonly<Record<string, number>>): readonly string[];
}

/**
 * A source is silent when it is twice as old as it ever grew between its last answers. Limits that are given, by
 * name (`posts/account_a`) or role (`posts`), are taken as they are.
 */
export function createSourceAges(limitsMs: Readonly<Record<string, number>> = {}): SourceAges {
  const lastAges = new Map<string, number>();
  const peaks = new Map<string, number[]>();

  function limitOf(name: string): number {
    const role = name.split('/')[0] ?? name;
    const given = limitsMs[name] ?? limitsMs[role];
    if (given !== undefined) return given;
    // Of others, such as one that has read all history and is done, silence says nothing.
    const longest = LONGEST_MS[role] ?? Number.POSITIVE_INFINITY;
    const known = peaks.get(name) ?? [];
    if (known.length < RHYTHMS_NEEDED) return longest;
    return Math.min(longest, Math.max(SHORTEST_MS, 2 * Math.max(...known)));
  }

  function learn(name: string, ageMs: number): void {
    const lastMs = lastAges.get(name);
    lastAges.set(name, ageMs);
    if (lastMs === undefined || ageMs > lastMs) return;
    const known = peaks.get(name) ?? [];
    peaks.set(name, known);
    // A silence that was told is no rhythm, or the next one would be told later.
    if (lastMs < limitOf(name)) known.push(lastMs);
    if (known.length > RHYTHMS_KEPT) known.shift();
  }

  return {
    take(ages) {
      const entries = Object.entries(ages).filter(([name]) => Number.isFinite(limitOf(name)));
      for (const [name, ageMs] of entries) learn(name, ageMs);
      return entries.filter(([name, ageMs]) => ageMs >= limitOf(name)).map(([name]) => name);
    },
  };
}
