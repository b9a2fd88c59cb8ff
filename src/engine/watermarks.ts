import { DAY_MS, type SourceName, type TickAges } from '../../streams/internal.ts';
import type { FollowedValue } from '../sources/source.ts';
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
  /**
   * The same for values that are asked for anew whenever ages are told, so that these are never those of other values. The
   * age under a name is that of the oldest of its values. One that the log knows already was answered at an unknown time,
   * unless it was followed before.
   */
  followPresent(source: SourceName, values: () => readonly FollowedValue[], usualMs: number): void;
  /** How old everything is, by name in a fixed order. */
  ages(): TickAges;
  /** Takes over ages measured at `at` (UTC ms) by an engine that ran before this one. */
  restore(ages: TickAges, at: number): void;
}

interface Followed {
  readonly usualMs: number;
  /** When each value was last answered. */
  readonly marks: Map<string, number>;
  /** Under which name the age of each value is told, where that is not its own. */
  readonly names: ReadonlyMap<string, string>;
  /** When values that are followed no more were last answered, the last to be left last. */
  readonly left: ReadonlyMap<string, number>;
}

/** By so little a time service corrects a calendar. */
const CORRECTION_MS = 5_000;
/** Taken for an age that nobody knows: what has it is stale. */
export const UNTOLD_MS = DAY_MS;

/** Of how many values that a source follows no more it is known when they were answered. */
const LEFT_VALUES = 1_000;

const NOTHING_FOLLOWED: Followed = { usualMs: 0, marks: new Map(), names: new Map(), left: new Map() };

/** Uses the clock that never goes back, so that a corrected wall clock changes no age. */
export function createWatermarks(clock: Clock): Watermarks {
  const marks = new Map<SourceName, number>();
  const followed = new Map<SourceName, Followed>();
  /** What the engine before left, until the source says which values it follows. */
  const restored = new Map<SourceName, number>();
  /** What asks the sources for the values that they follow at present. */
  const refreshing = new Map<SourceName, () => void>();

  /** When the oldest value of each name was last answered. */
  function marksByName({ marks: values, names }: Followed): ReadonlyMap<string, number> {
    if (names.size === 0) return values;
    const oldest = new Map<string, number>();
    for (const [value, at] of values) {
      const name = names.get(value) ?? value;
      oldest.set(name, Math.min(oldest.get(name) ?? at, at));
    }
    return oldest;
  }

  /** The age of the oldest value that is not behind, or of the source where it has none. */
  function ageOf(source: SourceName, mark: number, now: number): number {
    const own = followed.get(source) ?? NOTHING_FOLLOWED;
    const usual = [...marksByName(own).values()].filter((at) => now - at <= own.usualMs);
    return Math.round(now - Math.min(...(usual.length === 0 ? [mark] : usual)));
  }

  function behind(source: SourceName, now: number): readonly (readonly [string, number])[] {
    const own = followed.get(source) ?? NOTHING_FOLLOWED;
    return [...marksByName(own)]
      .flatMap(([name, at]) => (now - at > own.usualMs ? [[name, Math.round(now - at)] as const] : []))
      .sort(byName);
  }

  function follow(source: SourceName, values: readonly FollowedValue[], usualMs: number): void {
    const { marks: before, left } = followed.get(source) ?? NOTHING_FOLLOWED;
    const restoredAt = restored.get(source);
    restored.delete(source);
    const newAt = ({ name, isLogged }: FollowedValue) =>
      // The engine before told the age under the name alone.
      before.get(name) ?? restoredAt ?? clock.mono() - (isLogged() ? UNTOLD_MS : 0);
    const marks = new Map(
      values.map((each) => [each.value, before.get(each.value) ?? left.get(each.value) ?? newAt(each)]),
    );
    const names = new Map(
      values.flatMap(({ value, name }) => (value === name ? [] : [[value, name] as const])),
    );
    const others = [...left, ...before].filter(([value]) => !marks.has(value));
    followed.set(source, { usualMs, marks, names, left: new Map(others.slice(-LEFT_VALUES)) });
  }

  return {
    mark(source, at, values = {}) {
      marks.set(source, at);
      const own = followed.get(source)?.marks;
      for (const [value, at] of Object.entries(values)) if (own?.has(value)) own.set(value, at);
    },
    follow(source, values, usualMs) {
      const named = values.map((value) => ({ value, name: value, isLogged: () => false }));
      follow(source, named, usualMs);
    },
    followPresent(source, values, usualMs) {
      let before: readonly FollowedValue[] | undefined;
      const refresh = () => {
        const present = values();
        if (before === undefined || !isSame(before, present)) follow(source, present, usualMs);
        before = present;
      };
      refreshing.set(source, refresh);
      refresh();
    },
    ages() {
      for (const refresh of refreshing.values()) refresh();
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
          names: new Map(),
          left: new Map(),
        });
      }
    },
  };
}

function isSame(before: readonly FollowedValue[], present: readonly FollowedValue[]): boolean {
  return (
    before.length === present.length &&
    present.every(({ value, name }, at) => value === before[at]?.value && name === before[at]?.name)
  );
}

function byName([a]: readonly [string, number], [b]: readonly [string, number]): number {
  return a < b ? -1 : 1;
}
