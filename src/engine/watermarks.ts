import { DAY_MS, type SourceName, type TickAges } from '../../streams/internal.ts';
import type { Clock } from './clock.ts';

/** Up to when each source, and each value it keeps up to date, knows the outside world. */
interface Watermarks {
  /**
   * `at` is the instant up to which an answer shows the outside world, and `values` says when single values were
   * answered, both by the clock that never goes back.
   */
  mark(source: SourceName, at: number, values?: Readonly<Record<string, number>>): void;
  /**
   * From now on the source keeps these values up to date and no others. A value older than `usualMs` is behind the rest.
   * One that was never answered is as old as the wait for it, and one that was followed before as old as its last answer.
   */
  follow(source: SourceName, values: readonly string[], usualMs: number): void;
  /** How old everything is, by name in a fixed order. */
  ages(): TickAges;
  /** Takes over ages measured at `at` (UTC ms) by an engine that ran before this one. */
  restore(ages: TickAges, at: number): void;
}

interface Followed {
  readonly usualMs: number;
  /** When each value was last answered. */
  readonly marks: Map<string, number>;
  /** When values that are followed no more were last answered, the last to be left last. */
  readonly left: ReadonlyMap<string, number>;
}

/** By so little a time service corrects a calendar. */
const CORRECTION_MS = 5_000;
/** Taken for the time since the engine before, when a calendar that was set back does not tell it: all is then stale. */
const UNTOLD_MS = DAY_MS;

/** Of how many values that a source follows no more it is known when they were answered. */
const LEFT_VALUES = 100;

const NOTHING_FOLLOWED: Followed = { usualMs: 0, marks: new Map(), left: new Map() };

/** Uses the clock that never goes back, so that a corrected wall clock changes no age. */
export function createWatermarks(clock: Clock): Watermarks {
  const marks = new Map<SourceName, number>();
  const followed = new Map<SourceName, Followed>();
  /** What the engine before left, until the source says which values it follows. */
  const restored = new Map<SourceName, number>();

  /** The age of the oldest value that is not behind, or of the source where it has none. */
  function ageOf(source: SourceName, mark: number, now: number): number {
    const { usualMs, marks: values } = followed.get(source) ?? NOTHING_FOLLOWED;
    const usual = [...values.values()].filter((at) => now - at <= usualMs);
    return Math.round(now - Math.min(...(usual.length === 0 ? [mark] : usual)));
  }

  function behind(source: SourceName, now: number): readonly (readonly [string, number])[] {
    const { usualMs, marks: values } = followed.get(source) ?? NOTHING_FOLLOWED;
    return [...values]
      .flatMap(([value, at]) => (now - at > usualMs ? [[value, Math.round(now - at)] as const] : []))
      .sort(byName);
  }

  return {
    mark(source, at, values = {}) {
      marks.set(source, at);
      const own = followed.get(source)?.marks;
      for (const [value, at] of Object.entries(values)) if (own?.has(value)) own.set(value, at);
    },
    follow(source, values, usualMs) {
      const { marks: before, left } = followed.get(source) ?? NOTHING_FOLLOWED;
      const newAt = restored.get(source) ?? clock.mono();
      restored.delete(source);
      const marks = new Map(
        values.map((value) => [value, before.get(value) ?? left.get(value) ?? newAt] as const),
      );
      const others = [...left, ...before].filter(([value]) => !marks.has(value));
      followed.set(source, { usualMs, marks, left: new Map(others.slice(-LEFT_VALUES)) });
    },
    ages() {
      const now = clock.mono();
      const sources = [...marks].sort(byName);
      const lagging = sources.flatMap(([source]) => {
        const values = behind(source, now);
        return values.length === 0 ? [] : [[source, Object.fromEntries(values)] as const];
      });
      return {
        ages: Object.fromEntries(sources.map(([source, mark]) => [source, ageOf(source, mark, now)])),
        ...(lagging.length > 0 && { lagging: Object.fromEntries(lagging) }),
      };
    },
    restore({ ages, lagging = {} }, at) {
      const sinceMs = clock.wall() - at;
      const elapsed = sinceMs < -CORRECTION_MS ? UNTOLD_MS : Math.max(0, sinceMs);
      const markOf = (age: number) => clock.mono() - elapsed - age;
      for (const [source, age] of Object.entries(ages)) {
        marks.set(source, markOf(age));
        restored.set(source, markOf(age));
        const values = Object.entries(lagging[source] ?? {});
        followed.set(source, {
          usualMs: 0,
          marks: new Map(values.map(([value, age]) => [value, markOf(age)])),
          left: new Map(),
        });
      }
    },
  };
}

function byName([a]: readonly [string, number], [b]: readonly [string, number]): number {
  return a < b ? -1 : 1;
}
