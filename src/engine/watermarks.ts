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
   * From now on the source keeps these values up to date and no others. They are asked for anew at each look, and whenever
   * ages are told, so that these are never those of other values. A name is as old as the oldest of its values, and behind the rest when
   * older than `usualMs`. A value is as old as its last answer. One that was never answered is as old as the wait for it,
   * unless the log has an answer: that is as old as what another source told before, or nobody knows how old it is.
   */
  follow(source: SourceName, values: () => readonly FollowedValue[], usualMs: number): void;
  /** To be called when what is followed may have changed: the wait for a new value begins now. */
  look(): void;
  /** How old everything is, by name in a fixed order. */
  ages(): TickAges;
  /** Takes over ages that an engine before this one measured `elapsedMs` ago. */
  restore(ages: TickAges, elapsedMs: number): void;
}

interface Followed {
  readonly usualMs: number;
  readonly values: () => readonly FollowedValue[];
}

/** Taken for an age that nobody knows: what has it is stale. */
export const UNTOLD_MS = DAY_MS;

/** Of how many values that a source does not follow it is known when they were answered. */
const OTHER_VALUES = 1_000;

/** Uses the clock that never goes back, so that a corrected wall clock changes no age. */
export function createWatermarks(clock: Pick<Clock, 'mono'>): Watermarks {
  const marks = new Map<SourceName, number>();
  const followed = new Map<SourceName, Followed>();
  /** When each value of a source was last answered, or the wait for it began, the last one last. */
  const answers = new Map<SourceName, Map<string, number>>();
  /** What the engine before left, until the source says which values it follows. */
  const restored = new Map<SourceName, number>();

  function answersOf(source: SourceName): Map<string, number> {
    const known = answers.get(source) ?? new Map<string, number>();
    answers.set(source, known);
    return known;
  }

  /** When the value that a source follows as of now was answered; undefined when nobody knows. */
  function firstAnswer(source: SourceName, followed: FollowedValue): number | undefined {
    const { value, name = value, isLogged, toldBefore: [teller, told] = [] } = followed;
    const restoredAt = restored.get(source);
    // The engine before told the age under the name alone.
    if (restoredAt !== undefined) return answersOf(source).get(name) ?? restoredAt;
    if (!isLogged?.()) return clock.mono();
    return teller === undefined || told === undefined ? undefined : answersOf(teller).get(told);
  }

  /** Notes when a value was answered that is followed as of now. */
  function beginToFollow(source: SourceName, each: FollowedValue, known: Map<string, number>): number {
    const answeredAt = firstAnswer(source, each);
    if (answeredAt === undefined) return clock.mono() - UNTOLD_MS;
    known.set(each.value, answeredAt);
    return answeredAt;
  }

  /** When the oldest value of each name that a source follows was last answered. */
  function oldestAnswers(source: SourceName): ReadonlyMap<string, number> {
    const known = answersOf(source);
    const present = followed.get(source)?.values() ?? [];
    const oldest = new Map<string, number>();
    for (const each of present) {
      const { value, name = value } = each;
      const at = known.get(value) ?? beginToFollow(source, each, known);
      const before = oldest.get(name);
      if (before === undefined || at < before) oldest.set(name, at);
    }
    if (known.size > present.length + OTHER_VALUES) forgetOthers(known, present);
    return oldest;
  }

  return {
    mark(source, at, values = {}) {
      marks.set(source, at);
      const known = answersOf(source);
      for (const [value, at] of Object.entries(values)) {
        known.delete(value);
        known.set(value, at);
      }
    },
    follow(source, values, usualMs) {
      followed.set(source, { values, usualMs });
      oldestAnswers(source);
      restored.delete(source);
    },
    look() {
      for (const source of followed.keys()) oldestAnswers(source);
    },
    ages() {
      const now = clock.mono();
      const ages: Record<SourceName, number> = {};
      const lagging: Record<SourceName, Record<string, number>> = {};
      for (const [source, mark] of [...marks].sort(byName)) {
        const { usualMs = 0 } = followed.get(source) ?? {};
        const oldest = [...oldestAnswers(source)];
        const behind = oldest.filter(([, at]) => now - at > usualMs).sort(byName);
        const usual = oldest.flatMap(([, at]) => (now - at > usualMs ? [] : [at]));
        // The age of the oldest value that is not behind, or of the source where it has none.
        ages[source] = Math.round(now - Math.min(...(usual.length === 0 ? [mark] : usual)));
        if (behind.length > 0)
          lagging[source] = Object.fromEntries(behind.map(([name, at]) => [name, Math.round(now - at)]));
      }
      return { ages, ...(Object.keys(lagging).length > 0 && { lagging }) };
    },
    restore({ ages, lagging = {} }, elapsedMs) {
      const markOf = (age: number) => clock.mono() - elapsedMs - age;
      for (const [source, age] of Object.entries(ages)) {
        marks.set(source, markOf(age));
        restored.set(source, markOf(age));
        const behind = Object.entries(lagging[source] ?? {});
        answers.set(source, new Map(behind.map(([name, age]) => [name, markOf(age)])));
        const values = behind.map(([value]) => ({ value }));
        followed.set(source, { values: () => values, usualMs: 0 });
      }
    },
  };
}

/** Forgets when values were answered that are not followed, those first whose last answer is the oldest. */
function forgetOthers(known: Map<string, number>, present: readonly FollowedValue[]): void {
  const kept = new Set(present.map(({ value }) => value));
  for (const value of known.keys()) {
    if (known.size <= kept.size + OTHER_VALUES) return;
    if (!kept.has(value)) known.delete(value);
  }
}

function byName([a]: readonly [string, number], [b]: readonly [string, number]): number {
  return a < b ? -1 : 1;
}
