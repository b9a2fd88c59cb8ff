interface FiredQuota {
  /** Adds what a simulation has printed. */
  add(output: string): void;
  /** How often each kind happened in all of them, rarest first. */
  readonly fired: readonly (readonly [kind: string, times: number])[];
}

const LINE = /^fault (\w+) +(\d+)$/gm;

/** How often each fault happened in several simulations: what hardly ever happens is hardly tested. */
export function createFiredQuota(kinds: readonly string[]): FiredQuota {
  const fired = new Map<string, number>(kinds.map((kind) => [kind, 0]));
  return {
    add(output) {
      for (const [, kind = '', times] of output.matchAll(LINE))
        fired.set(kind, (fired.get(kind) ?? 0) + Number(times));
    },
    get fired() {
      return [...fired].sort(([, a], [, b]) => a - b);
    },
  };
}
