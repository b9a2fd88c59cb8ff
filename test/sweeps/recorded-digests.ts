import { createHash, type Hash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** What was served in a recorded run, as digests, and how two runs differ. */

/** `documents` hold sentences for people, which may be put better without anyone being served anything else. */
export const GROUPS = ['ok', 'not_modified', 'unprocessable', 'other', 'frames', 'documents'] as const;
export type Group = (typeof GROUPS)[number];

/** Of each answer and reader how often it came by status or type of frame, and the digest over all of it in order. */
const parts = z.record(z.string(), z.string());
const runResult = z.object({
  log: z.object({ observations: z.int(), turns: z.int(), sha256: z.string() }),
  plan: z.object({ fullEvery: z.int(), briefEvery: z.int() }),
  /** Where the texts are, if they were kept. */
  texts: z.string().optional(),
  totals: z.record(z.enum(GROUPS), z.string()),
  answers: parts,
  documents: parts,
  frames: parts,
});
export type RunResult = z.output<typeof runResult>;

const condensedResult = runResult
  .pick({ log: true, plan: true, answers: true, frames: true })
  .extend({ totals: z.record(z.string(), z.string()) });
export type Condensed = z.output<typeof condensedResult>;

export interface Collector {
  /** `part` names what was asked, or the reader and topic; `kind` is counted: a status, or a type of frame. */
  add(group: Group, part: string, kind: string, text: string): void;
  finish(run: Pick<RunResult, 'log' | 'plan'>): RunResult;
}

interface Part {
  readonly section: 'answers' | 'documents' | 'frames';
  readonly hash: Hash;
  readonly counts: Map<string, number>;
  readonly file: number | undefined;
}

/** With a folder for the texts, each of them becomes a line in the file of its part. */
export function createCollector(texts?: string): Collector {
  if (texts !== undefined) {
    rmSync(texts, { recursive: true, force: true });
    mkdirSync(texts, { recursive: true });
  }
  const all = new Map<string, Part>();
  // By part, as it is chance which of two readers gets a frame first.
  const totals = new Map<Group, Map<string, { readonly hash: Hash; count: number }>>(
    GROUPS.map((group) => [group, new Map()]),
  );

  function partOf(group: Group, name: string): Part {
    const known = all.get(name);
    if (known !== undefined) return known;
    const part: Part = {
      section: group === 'frames' || group === 'documents' ? group : 'answers',
      hash: createHash('sha256'),
      counts: new Map(),
      file: texts === undefined ? undefined : openSync(join(texts, fileOf(name)), 'w'),
    };
    all.set(name, part);
    return part;
  }

  return {
    add(group, name, kind, text) {
      const line = `${kind} ${text.replaceAll('\n', '\\n')}\n`;
      const part = partOf(group, name);
      part.hash.update(line);
      part.counts.set(kind, (part.counts.get(kind) ?? 0) + 1);
      if (part.file !== undefined) writeSync(part.file, line);
      const total = totals.get(group)?.get(name) ?? { hash: createHash('sha256'), count: 0 };
      totals.get(group)?.set(name, total);
      total.count += 1;
      total.hash.update(line);
    },

    finish(run) {
      const section = (which: Part['section']) =>
        Object.fromEntries(
          [...all]
            .filter(([, part]) => part.section === which)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, { counts, hash }]) => [name, `${countsText(counts)} ${hash.digest('hex')}`]),
        );
      for (const { file } of all.values()) if (file !== undefined) closeSync(file);
      const totalOf = (group: Group) => {
        const hash = createHash('sha256');
        let count = 0;
        for (const [name, total] of [...(totals.get(group) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))) {
          hash.update(`${name} ${total.hash.digest('hex')}\n`);
          count += total.count;
        }
        return `${count} ${hash.digest('hex')}`;
      };
      return {
        ...run,
        ...(texts === undefined ? {} : { texts }),
        totals: {
          ok: totalOf('ok'),
          not_modified: totalOf('not_modified'),
          unprocessable: totalOf('unprocessable'),
          other: totalOf('other'),
          frames: totalOf('frames'),
          documents: totalOf('documents'),
        },
        answers: section('answers'),
        documents: section('documents'),
        frames: section('frames'),
      };
    },
  };
}

/** `200:12 422:3`, in the order of the names. */
function countsText(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, count]) => `${kind}:${count}`)
    .join(' ');
}

/** Readable, and another for each part. */
export function fileOf(part: string): string {
  const short = createHash('sha256').update(part).digest('hex').slice(0, 8);
  return `${part.replaceAll(/[^\w.=&-]+/g, '_').slice(0, 150)}-${short}.txt`;
}

export function readResult(file: string): RunResult {
  return runResult.parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** A result in few lines, to be kept with the sources: all queries to a path by one caller are one part. */
export function condensed({ log, plan, totals, answers, frames }: RunResult): Condensed {
  const hashes = new Map<string, Hash>();
  for (const [name, digest] of Object.entries(answers)) {
    const place = name.replace(/\?\S*/, '?').replace(/^(POST \S+) .*/, '$1');
    const hash = hashes.get(place) ?? createHash('sha256');
    hashes.set(place, hash.update(`${name} ${digest}\n`));
  }
  const places = [...hashes].map(([place, hash]) => [place, hash.digest('hex')]);
  const { documents: _, ...served } = totals;
  return { log, plan, totals: served, answers: Object.fromEntries(places), frames };
}

export function readCondensed(file: string): Condensed {
  return condensedResult.parse(JSON.parse(readFileSync(file, 'utf8')));
}

export interface Differences {
  /** One line each; none when both served the same. */
  readonly served: readonly string[];
  /** Of documents for people. */
  readonly documents: readonly string[];
}

/** Where a run differs from an earlier one. */
export function differences(before: RunResult, after: RunResult): Differences {
  const served: string[] = [];
  for (const field of ['log', 'plan'] as const) {
    const [was, is] = [JSON.stringify(before[field]), JSON.stringify(after[field])];
    if (was !== is) served.push(`${field}: was ${was}, is ${is}`);
  }
  served.push(
    ...differingParts(before.answers, after.answers),
    ...differingParts(before.frames, after.frames),
  );
  for (const group of GROUPS) {
    if (group === 'documents' || before.totals[group] === after.totals[group]) continue;
    served.push(`total of ${group}: was ${before.totals[group]}, is ${after.totals[group]}`);
  }
  return { served, documents: differingParts(before.documents, after.documents) };
}

function differingParts(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name}: was ${before[name] ?? 'not there'}, is ${after[name] ?? 'not there'}`);
}

/** The name of the first part that both have and that is not the same. */
export function firstDifference(before: RunResult, after: RunResult): string | undefined {
  for (const section of ['answers', 'frames', 'documents'] as const) {
    for (const [name, digest] of Object.entries(before[section])) {
      const other = after[section][name];
      if (other !== undefined && other !== digest) return name;
    }
  }
  return undefined;
}

const SHOWN_BEFORE = 120;
const SHOWN_AFTER = 200;

/** The first place where the texts of a part differ. */
export function showDifference(part: string, beforeTexts: string, afterTexts: string): string {
  const [before = [], after = []] = [beforeTexts, afterTexts].map((folder) =>
    readFileSync(join(folder, fileOf(part)), 'utf8').split('\n'),
  );
  const line = before.findIndex((text, index) => text !== after[index]);
  const [was = '', is = ''] = [before[line], after[line]];
  let at = 0;
  while (at < was.length && was[at] === is[at]) at += 1;
  const around = (text: string) => text.slice(Math.max(0, at - SHOWN_BEFORE), at + SHOWN_AFTER);
  return `${part}, line ${line + 1}, character ${at + 1}:\nwas …${around(was)}…\nis  …${around(is)}…`;
}
