/** Longest silence of a source that is not yet news, unless its own rhythm is faster. As the server's own limits. */
const LONGEST_MS: Readonly<Record<string, number>> = {
  posts: 10_000,
  oracle: 900_000,
  ui: 300_000,
  prices: 60_000,
  crypto: 60_000,
};
/** Of a source that is asked each second: with a second between heartbeats it is told in less than three. */
const SHORTEST_MS = 1_600;
const RHYTHMS_KEPT = 60;
/** Before so many answers were seen a rhythm is not known. */
const RHYTHMS_NEEDED = 3;

/** Tells which sources have stopped answering, from the ages in heartbeats. */
export interface SourceAges {
  /** The names of those that are silent for too long, of the ages at `ts` of the server's clock. */
  take(ages: Readonly<Record<string, number>>, ts: number): readonly string[];
}

/**
 * A source is silent when it is twice as old as it ever grew between its last answers. Limits that are given, by
 * name (`posts/account_a`) or role (`posts`), are taken as they are.
 */
export function createSourceAges(limitsMs: Readonly<Record<string, number>> = {}): SourceAges {
  const lastAges = new Map<string, number>();
  let lastTs = 0;
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

  function learn(name: string, ageMs: number, passedMs: number): void {
    const lastMs = lastAges.get(name);
    lastAges.set(name, ageMs);
    // Without an answer in between it would be older by all the time that passed.
    if (lastMs === undefined || ageMs > lastMs + passedMs / 2) return;
    const known = peaks.get(name) ?? [];
    peaks.set(name, known);
    // A hiccup is part of the rhythm; a long silence is not, or the next one would be told later.
    if (lastMs < 2 * limitOf(name)) known.push(lastMs);
    if (known.length > RHYTHMS_KEPT) known.shift();
  }

  return {
    take(ages, ts) {
      const entries = Object.entries(ages).filter(([name]) => Number.isFinite(limitOf(name)));
      for (const [name, ageMs] of entries) learn(name, ageMs, ts - lastTs);
      lastTs = ts;
      return entries.filter(([name, ageMs]) => ageMs >= limitOf(name)).map(([name]) => name);
    },
  };
}
