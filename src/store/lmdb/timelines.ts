import type { AccountId, Output } from '../../../streams/internal.ts';
import type { TimelineEntry } from '../store.ts';
import type { Environment, TimelineKey, Timelines } from './environment.ts';
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

const MARK_ROW = 'timelines';
/** Rows per write. */
const BATCH = 2_000;

/** With each batch that changes posts: the number of rows of their history that the entries follow from. */
export function putTimelinesMark({ meta }: Pick<Environment, 'meta'>, postRows: number): void {
  void meta.put(MARK_ROW, String(postRows));
}

/** Whether the entries follow from the posts there are: an older program writes posts without entries. */
export function hasTimelines({ meta }: Pick<Environment, 'meta'>, postRows: number): boolean {
  return Number(meta.get(MARK_ROW) ?? 0) === postRows;
}

/** Makes all entries again. */
export async function makeTimelines(environment: Environment, postRows: number): Promise<void> {
  const { durable, root, latest, timelines } = environment;
  if (timelines === undefined) return;
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
    const write = () =>
      root.batch(() => {
        for (const { key, value } of rows) {
          putEntry(timelines, parseStored<PostOutput>(value, `the latest of ${key.join(' ')}`), undefined);
        }
      });
    await durable(write, 'the timelines', { rows: rows.length, bytes: 64 * rows.length });
  }
  const mark = () => root.batch(() => putTimelinesMark(environment, postRows));
  await durable(mark, 'the mark of the timelines', { rows: 1, bytes: 0 });
}

/** After every id. */
const LAST_KEY = '\u{10ffff}';

/** As part of a batch: the entries are made again at the next start. */
export function forgetTimelinesMark({ meta }: Pick<Environment, 'meta'>): void {
  void meta.remove(MARK_ROW);
}
