import * as z from 'zod';
import type { Reading } from './plain-reader.ts';

/** Fields that change with time alone. */
const PASSING = new Set(['ages_ms', 'seconds_remaining']);

function lasting(records: ReadonlyMap<string, unknown>): string {
  const entries = [...records].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(entries, (key, value: unknown) => (PASSING.has(key) ? undefined : value));
}

/** How the frames of a reader that was cut off differ from those of one that was not. */
export function differences(cut: Reading, plain: Reading): readonly string[] {
  const names = [...plain.topics.keys()];
  const places = names.flatMap((name) => {
    const [a, b] = [cut.topics.get(name), plain.topics.get(name)];
    return a?.epoch === b?.epoch && a?.seq === b?.seq ? [] : [`${name} is at ${a?.seq}, not ${b?.seq}`];
  });
  if (places.length > 0) return places;
  return names.flatMap((name) => {
    const [a, b] = [cut.topics.get(name), plain.topics.get(name)];
    const frames = frameDifferences(name, cut.texts.get(name) ?? [], plain.texts.get(name) ?? []);
    // Of posts only some are in a snapshot.
    if (name.startsWith('tweets/') || frames.length > 0) return frames;
    const [left, right] = [lasting(a?.records ?? new Map()), lasting(b?.records ?? new Map())];
    return left === right ? [] : [`${name} at ${a?.seq}: ${left} instead of ${right}`];
  });
}

const Place = z.looseObject({ seq: z.int(), prev_seq: z.int(), merged: z.int().default(0) });

/** The position of an update. */
export function placeOf(text: string) {
  return Place.parse(JSON.parse(text));
}

/** The differences between the frames of a topic, from the first cut on. */
export function frameDifferences(
  name: string,
  texts: readonly string[],
  others: readonly string[],
  extent: 'all' | 'as many' = 'all',
): readonly string[] {
  const [first] = texts;
  if (first === undefined) return [];
  const bySeq = new Map(others.map((text) => [placeOf(text).seq, text]));
  let last = placeOf(first).seq - 1;
  for (const text of texts) {
    const { seq, merged, prev_seq } = placeOf(text);
    // A frame that was under way may be sent again to a reader that resumes.
    if (seq - merged - 1 > last || seq <= last) return [`${name} ${seq} comes after ${last}`];
    if (merged > 0 && name.startsWith('tweets/')) return [`${name} ${seq}: posts were merged`];
    const other = bySeq.get(seq) ?? '';
    const expected = merged > 0 ? other.replace(/"prev_seq":\d+,/, `"prev_seq":${prev_seq},`) : other;
    const unmerged = merged > 0 ? text.replace(`"merged":${merged},`, '') : text;
    if (unmerged !== expected) return [`${name} ${seq}: ${text} instead of ${other}`];
    last = seq;
  }
  const end = Math.max(...bySeq.keys());
  return extent === 'all' && end !== last ? [`${name} ends with ${last}, not with ${end}`] : [];
}
