interface FiredQuota {
  /** Adds how often each kind happened in a simulation. */
  add(fired: Readonly<Record<string, number>>): void;
  /** How often each kind happened in all of them, rarest first. */
  readonly fired: readonly (readonly [kind: string, times: number])[];
}

/** How often each fault happened in several simulations: what hardly ever happens is hardly tested. */
export function createFiredQuota(kinds: readonly string[]): FiredQuota {
  const fired = new Map<string, number>(kinds.map((kind) => [kind, 0]));
  return {
    add(more) {
      for (const [kind, times] of Object.entries(more)) fired.set(kind, (fired.get(kind) ?? 0) + times);
    },
    get fired() {
      return [...fired].sort(([, a], [, b]) => a - b);
    },
  };
}
