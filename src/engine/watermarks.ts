import type { SourceName } from '../../streams/internal.ts';
import type { Clock } from './clock.ts';

/** Up to when each source knows the outside world. */
interface Watermarks {
  /** `knownAt` (UTC ms) is the instant up to which the answer shows the outside world; the present unless given. */
  mark(source: SourceName, knownAt?: number): void;
  /** Ms since the instant that the last good answer of every source reaches up to, by name in a fixed order. */
  ages(): Readonly<Record<SourceName, number>>;
  /** Takes over ages measured at `at` (UTC ms) by an engine that ran before this one. */
  restore(ages: Readonly<Record<SourceName, number>>, at: number): void;
}

/** Uses the clock that never goes back, so that a corrected wall clock changes no age. */
export function createWatermarks(clock: Clock): Watermarks {
  const marks = new Map<SourceName, number>();
  return {
    mark(source, knownAt) {
      const behindMs = knownAt === undefined ? 0 : Math.max(0, clock.wall() - knownAt);
      marks.set(source, clock.mono() - behindMs);
    },
    ages() {
      const now = clock.mono();
      const names = [...marks.keys()].sort();
      return Object.fromEntries(names.map((name) => [name, Math.round(now - (marks.get(name) ?? now))]));
    },
    restore(ages, at) {
      const elapsed = Math.max(0, clock.wall() - at);
      for (const [name, age] of Object.entries(ages)) marks.set(name, clock.mono() - elapsed - age);
    },
  };
}
