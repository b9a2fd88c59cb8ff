import type { Fault } from '../errors.ts';
import type { AccountEntry } from './account-entry.ts';
import { type Given, unexpected } from './faults.ts';

/** An entry, where it stands, and its segment. */
export interface PlacedEntry {
  readonly entry: AccountEntry;
  readonly place: string;
  readonly segment: Given;
  /** Whether somebody chose the segment. Otherwise it follows from the id. */
  readonly isSegmentGiven: boolean;
}

/** Faults of what no two accounts may share. */
export function sharedFaults(placed: readonly PlacedEntry[]): readonly Fault[] {
  const own = (['id', 'handle', 'userId', 'name'] as const).flatMap((key) =>
    samePairs(placed, ({ entry }) => entry[key]).map(([first, second]) =>
      notAnother(key, { name: `${second.place}.${key}`, value: second.entry[key] }, first),
    ),
  );
  const segments = samePairs(placed, ({ segment }) => segment.value).flatMap(([first, second]) => {
    if (second.isSegmentGiven) return [notAnother('segment', second.segment, first)];
    // The later one has the segment of its id, so the earlier one is at fault, unless the ids are the same.
    return first.isSegmentGiven ? [notAnother('segment', first.segment, second)] : [];
  });
  return [...own, ...segments, ...sharedSlugs(placed)];
}

/** An event is about one account: of two with the same series or beginning of slugs only the first would ever have one. */
function sharedSlugs(placed: readonly PlacedEntry[]): readonly Fault[] {
  return (['seriesSlugs', 'slugPrefixes'] as const).flatMap((key) => {
    const seen = new Map<string, PlacedEntry>();
    return placed.flatMap((each) => {
      const slugs = each.entry[key] ?? [];
      const faults = slugs.flatMap((slug, index) => {
        const first = seen.get(slug);
        if (first === undefined) return [];
        return [notAnother('slug', { name: `${each.place}.${key}[${index}]`, value: slug }, first)];
      });
      for (const slug of slugs) if (!seen.has(slug)) seen.set(slug, each);
      return faults;
    });
  });
}

function notAnother(what: string, { name, value }: Given, other: PlacedEntry): Fault {
  const whose = other.entry.id === undefined ? other.place : `account ${other.entry.id}`;
  return unexpected(name, `another ${what} than that of ${whose}`, value);
}

/** Accounts with the same value as an earlier one, with that one. Case makes no difference, as people overlook it. */
function samePairs(
  placed: readonly PlacedEntry[],
  sharedIn: (each: PlacedEntry) => unknown,
): readonly (readonly [PlacedEntry, PlacedEntry])[] {
  const seen = new Map<string, PlacedEntry>();
  return placed.flatMap((each) => {
    const value = sharedIn(each);
    if (typeof value !== 'string') return [];
    const first = seen.get(value.toLowerCase());
    if (first === undefined) seen.set(value.toLowerCase(), each);
    return first === undefined ? [] : [[first, each] as const];
  });
}
