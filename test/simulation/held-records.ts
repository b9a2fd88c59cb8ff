import * as z from 'zod';
import { recordsOfAnswer, type ShownRecord } from './shown-records.ts';
import type { Violations } from './violations.ts';

const record = z.record(z.string(), z.unknown());
const entriesOfText = z.array(z.tuple([z.string(), z.unknown()]));
const frame = z.object({
  channel: z.string(),
  account: z.string().nullable(),
  key: z.string().optional(),
  data: z.union([z.array(record), record, z.null()]),
});

interface Version {
  /** Null once the record is gone. */
  readonly text: string | null;
  /** The last observation that changed it, if it tells. */
  readonly seq: number | undefined;
  readonly since: number;
}

const origin = z.object({ as_of: z.object({ seq: z.number() }) });

interface HeldRecords {
  /** Told each frame that the client of a reader has passed on. */
  onFrame(frame: unknown): void;
  /** Compares what the reader has held of late with an answer to a request for this path. */
  check(path: string, body: string): void;
}

/** The record without what passes with time alone, and without where it comes from. */
function textOf({ as_of: _, seconds_remaining: __, ...rest }: ShownRecord['record']): string {
  return JSON.stringify(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function seqOf(fields: ShownRecord['record']): number | undefined {
  return origin.safeParse(fields).data?.as_of.seq;
}

type Fields = ReadonlyMap<string, string>;

/** The JSON of each field of a record. */
function fieldsOf({ text }: Version): Fields {
  const entries = entriesOfText.parse(JSON.parse(text ?? '[]'));
  return new Map(entries.map(([name, value]) => [name, JSON.stringify(value)]));
}

/**
 * Whether a record was made between two that follow each other: a frame may join several changes up to a tick, and an answer
 * have some of them before.
 */
function isSince(seq: number | undefined, versions: readonly Version[]): boolean {
  return versions.some(({ seq: before }, at) => {
    const after = versions[at + 1]?.seq;
    if (seq === undefined || before === undefined || after === undefined) return false;
    return before < seq && seq < after;
  });
}

/** Whether a record has only what one of two that follow each other has. Not all that it has tells in its seq. */
function isBetween(shown: Fields, versions: readonly Fields[]): boolean {
  return versions.some((before, at) => {
    const after = versions[at + 1] ?? before;
    return [...shown].every(([name, value]) => value === before.get(name) || value === after.get(name));
  });
}

/** Each field of an answer that the reader has otherwise, and both values. */
function differenceOf(shown: Fields, held: Fields | undefined): string {
  const differing = [...shown].filter(([name, value]) => value !== held?.get(name));
  return differing.map(([name, value]) => `${name} (${value}, ${held?.get(name)})`).join(', ');
}

/** What a program holds that follows the feed, out of its frames. */
export function createHeldRecords({
  now,
  followingMs,
  violations,
}: {
  readonly now: () => number;
  /** Frames follow a change within this time. */
  readonly followingMs: () => number;
  readonly violations: Pick<Violations, 'check'>;
}): HeldRecords {
  const topics = new Map<string, Map<string, Version[]>>();
  /** How long a record that was replaced is remembered: an answer may be older than the newest frame. */
  const rememberedMs = () => 2 * followingMs();
  const nameOf = (channel: string, account: string | null) => `${channel}/${account}`;

  function versionOf(fields: ShownRecord['record'] | null): Version {
    if (fields === null) return { text: null, seq: undefined, since: now() };
    return { text: textOf(fields), seq: seqOf(fields), since: now() };
  }

  function hold(held: Map<string, Version[]>, key: string, fields: ShownRecord['record'] | null): void {
    const versions = (held.get(key) ?? []).filter(
      (_, at, all) => (all[at + 1]?.since ?? Number.POSITIVE_INFINITY) > now() - rememberedMs(),
    );
    versions.push(versionOf(fields));
    held.set(key, versions);
  }

  function keyOf(fields: ShownRecord['record'], account: string | null): string {
    return String(fields.event_id ?? fields.tweet_id ?? fields.account ?? account);
  }

  return {
    onFrame(given) {
      const { channel, account, key, data } = frame.parse(given);
      const name = nameOf(channel, account);
      const held = topics.get(name) ?? new Map<string, Version[]>();
      topics.set(name, held);
      if (Array.isArray(data)) {
        const present = new Map(data.map((each) => [keyOf(each, account), each]));
        for (const gone of held.keys()) if (!present.has(gone)) hold(held, gone, null);
        for (const [each, fields] of present) hold(held, each, fields);
      } else if (data === null) hold(held, key ?? '', null);
      else hold(held, keyOf(data, account), data);
    },
    check(path, body) {
      const shown = recordsOfAnswer(path, body);
      for (const { channel, account, record: fields } of shown) {
        const key = keyOf(fields, account);
        const version = versionOf(fields);
        const versions = topics.get(nameOf(channel, account))?.get(key) ?? [];
        const isSame = versions.some(({ text }) => text === version.text) || isSince(version.seq, versions);
        const inAnswer = isSame ? new Map() : fieldsOf(version);
        const inFrames = isSame ? [] : versions.map(fieldsOf);
        violations.check(
          9,
          isSame || isBetween(inAnswer, inFrames),
          () =>
            `${path} and the reader differ in ${differenceOf(inAnswer, inFrames.at(-1))} of ${channel} ${key}`,
        );
      }
      const [first] = shown;
      // Of posts an answer has a page only.
      if (first === undefined || first.channel === 'tweets') return;
      const listed = new Set(shown.map(({ account, record: fields }) => keyOf(fields, account)));
      for (const [key, versions] of topics.get(nameOf(first.channel, first.account)) ?? []) {
        const last = versions.at(-1);
        const isHeld = last !== undefined && last.text !== null && last.since < now() - followingMs();
        violations.check(
          9,
          !isHeld || listed.has(key),
          () => `${path} does not list ${key}, and the reader does`,
        );
      }
    },
  };
}
