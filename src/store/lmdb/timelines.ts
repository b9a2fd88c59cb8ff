import type { AccountId, OutputOf } from '../../../streams/internal.ts';
import type { TimelineEntry } from '../store.ts';
import {
  type DerivedMark,
  latestAfter,
  NOTHING_DERIVED,
  putDerivedMark,
  readDerivedMark,
} from './derived-parts.ts';
import { type Environment, TIMELINES, type TimelineKey, type Timelines } from './environment.ts';
import { parseStored } from './stored-text.ts';

type PostOutput = OutputOf<'posts'>;

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
export function checkCount({ timelines, damage }: Environment, { rows }: DerivedMark): void {
  let found = 0;
  // Each is looked at, as those of a page that belongs elsewhere could be counted too.
  for (const _ of timelines?.getRange({}) ?? []) found += 1;
  if (found !== rows) throw damage(TIMELINES, `${TIMELINES}: found ${found} of ${rows} entries`);
}

/** Posts per write. */
const BATCH = 2_000;

/** Makes all entries again. */
export async function makeTimelines(environment: Environment, historyRows: number): Promise<DerivedMark> {
  const { durable, root, timelines } = environment;
  if (timelines === undefined) return NOTHING_DERIVED;
  const clear = () => root.batch(() => void timelines.clear());
  await durable(clear, 'the cleared timelines', { rows: 2, bytes: 0 });
  let rows = 0;
  for (let after = ''; ; ) {
    const posts = [...latestAfter(environment, 'posts', after, BATCH)];
    const last = posts.at(-1);
    if (last === undefined) break;
    after = last.key;
    rows += posts.length;
    const write = () =>
      root.batch(() => {
        for (const post of posts) putEntry(timelines, post, undefined);
      });
    await durable(write, 'the timelines', { rows: posts.length, bytes: 64 * posts.length });
  }
  const mark = { historyRows, rows };
  const end = () => root.batch(() => putDerivedMark(environment, 'posts', mark));
  await durable(end, 'the mark of the timelines', { rows: 1, bytes: 0 });
  return mark;
}

/** Throws unless a post that is among the latest has its entry, as it is now. */
export function checkEntry({ timelines, damage }: Environment, post: PostOutput): void {
  if (timelines === undefined || timelines.get(keyOf(post)) === textOf(post)) return;
  throw damage(TIMELINES, `${TIMELINES}: the entry of post ${post.key} is missing, or older than the post`);
}

/** Throws when entries are missing, or older than their posts. Those that are to be made again are not looked at. */
export function checkTimelines(environment: Environment, historyRows: number): void {
  if (readDerivedMark(environment, 'posts', historyRows) === undefined) return;
  for (const post of latestAfter(environment, 'posts')) checkEntry(environment, post);
}
