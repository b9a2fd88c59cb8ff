import type { AccountId, Output } from '../../../streams/internal.ts';
import type { TimelineEntry } from '../store.ts';
import { type Environment, TIMELINES, type TimelineKey, type Timelines } from './environment.ts';
import { parseStored } from './stored-text.ts';

type PostOutput = Extract<Output, { readonly stream: 'posts' }>;

/** Entries read at once, while requests are being answered. */
const ENTRIES_PER_STEP = 64;

const ON_TIMELINE = 't';
const DELETED = 'd';
const IN_ORACLE = 'o';

function keyOf({ key, record }: PostOutput): TimelineKey {
  return [record.account, record.createdAt, key.length, key];
}

function textOf({ seq, record: { seenAt, via, deletedAt, oracleAt } }: PostOutput): string {
  const flags = [
    via === 'timeline' ? ON_TIMELINE : '',
    deletedAt === null ? '' : DELETED,
    oracleAt === null ? '' : IN_ORACLE,
  ];
  return `${seq} ${seenAt} ${flags.join('')}`;
}

/** As part of a batch. `before` is the JSON of the same post until now. */
export function putEntry(timelines: Timelines, post: PostOutput, before: string | undefined): void {
  if (before !== undefined) {
    const known = keyOf(parseStored<PostOutput>(before, `the latest of posts ${post.key}`));
    if (known[0] !== post.record.account || known[1] !== post.record.createdAt) void timelines.remove(known);
  }
  void timelines.put(keyOf(post), textOf(post));
}

/** The account's posts, newest first: those after `after` if it is given, without the first `offset` of them. */
export function* readEntries(
  timelines: Timelines,
  account: AccountId,
  { offset = 0, after }: { readonly offset?: number; readonly after?: PostOutput | undefined },
): Iterable<TimelineEntry> {
  let start: TimelineKey = after === undefined ? [account, Number.POSITIVE_INFINITY] : keyOf(after);
  for (let skipped = offset; ; skipped = 0) {
    const range = { start, exclusiveStart: true, end: endOf(account), reverse: true } as const;
    const rows = [...timelines.getRange({ ...range, offset: skipped, limit: ENTRIES_PER_STEP })];
    for (const { key, value } of rows) yield entryOf(key, value);
    const last = rows.at(-1);
    if (last === undefined) return;
    start = last.key;
  }
}

function endOf(account: AccountId): TimelineKey {
  return [account];
}

function entryOf([, createdAt, , key]: TimelineKey, text: string): TimelineEntry {
  const [seq, seenAt, flags = ''] = text.split(' ');
  return {
    key: String(key),
    createdAt: Number(createdAt),
    seq: Number(seq),
    seenAt: Number(seenAt),
    isOnTimeline: flags.includes(ON_TIMELINE),
    isDeleted: flags.includes(DELETED),
    isInOracle: flags.includes(IN_ORACLE),
  };
}

export function countEntries(timelines: Timelines, account: AccountId): number {
  return timelines.count({ start: endOf(account), end: [account, Number.POSITIVE_INFINITY] });
}

/** Throws when entries cannot be found by going through all, as after damage to a page. */
export function checkCount({ timelines, damage }: Environment, { entries }: TimelinesMark): void {
  let found = 0;
  // Each is looked at, as those of a page that belongs elsewhere could be counted too.
  for (const _ of timelines?.getRange({}) ?? []) found += 1;
  if (found !== entries) throw damage(TIMELINES, `${TIMELINES}: found ${found} of ${entries} entries`);
}

const MARK_ROW = 'timelines';
/** Rows per write. */
const BATCH = 2_000;

/** What the entries follow from. */
interface TimelinesMark {
  /** The number of rows of the history of posts. */
  readonly postRows: number;
  /** The number of entries, one for each post. */
  readonly entries: number;
}

export const NO_TIMELINES: TimelinesMark = { postRows: 0, entries: 0 };

/** As part of a batch, with each that changes posts. */
export function putTimelinesMark({ meta }: Pick<Environment, 'meta'>, mark: TimelinesMark): void {
  void meta.put(MARK_ROW, `${mark.postRows} ${mark.entries}`);
}

/**
 * The mark if the entries follow from the posts there are, else undefined: an older program writes posts without entries,
 * and a file may have lost entries.
 */
export function readTimelinesMark(
  { meta, timelines }: Pick<Environment, 'meta' | 'timelines'>,
  postRows: number,
): TimelinesMark | undefined {
  const [rows, entries] = (meta.get(MARK_ROW) ?? '').split(' ').map(Number);
  const isTrue = rows === postRows && entries !== undefined && entries === timelines?.size();
  return isTrue ? { postRows, entries } : undefined;
}

/** Makes all entries again. */
export async function makeTimelines(environment: Environment, postRows: number): Promise<TimelinesMark> {
  const { durable, root, latest, timelines } = environment;
  if (timelines === undefined) return NO_TIMELINES;
  let entries = 0;
  const clear = () => root.batch(() => void timelines.clear());
  await durable(clear, 'the cleared timelines', { rows: 2, bytes: 0 });
  let start: [string, string] = ['posts', ''];
  for (;;) {
    const rows = [
      ...latest.getRange({ start, exclusiveStart: true, end: ['posts', LAST_KEY], limit: BATCH }),
    ];
    const last = rows.at(-1);
    if (last === undefined) break;
    start = last.key;
    entries += rows.length;
    const write = () =>
      root.batch(() => {
        for (const { key, value } of rows) {
          putEntry(timelines, parseStored<PostOutput>(value, `the latest of ${key.join(' ')}`), undefined);
        }
      });
    await durable(write, 'the timelines', { rows: rows.length, bytes: 64 * rows.length });
  }
  const mark = { postRows, entries };
  const end = () => root.batch(() => putTimelinesMark(environment, mark));
  await durable(end, 'the mark of the timelines', { rows: 1, bytes: 0 });
  return mark;
}

/** Throws unless a post that is among the latest has its entry, as it is now. */
export function checkEntry({ timelines, damage }: Environment, post: PostOutput): void {
  if (timelines === undefined || timelines.get(keyOf(post)) === textOf(post)) return;
  throw damage(TIMELINES, `${TIMELINES}: the entry of post ${post.key} is missing, or older than the post`);
}

/** Throws when entries are missing, or older than their posts. Those that are to be made again are not looked at. */
export function checkTimelines(environment: Environment, postRows: number): void {
  if (readTimelinesMark(environment, postRows) === undefined) return;
  for (const { key, value } of environment.latest.getRange({
    start: ['posts', ''],
    end: ['posts', LAST_KEY],
  }))
    checkEntry(environment, parseStored<PostOutput>(value, `the latest of ${key.join(' ')}`));
}

/** After every id. */
const LAST_KEY = '\u{10ffff}';

/** As part of a batch: the entries are made again at the next start. */
export function forgetTimelinesMark({ meta }: Pick<Environment, 'meta'>): void {
  void meta.remove(MARK_ROW);
}
