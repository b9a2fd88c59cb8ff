import { readFile } from 'node:fs/promises';
import type { PostFact } from '../../../streams/internal.ts';
import { messageOf, ServiceError } from '../../errors.ts';
import { csvLines } from '../csv-lines.ts';
import { TIME_SHAPES, timeOfText } from '../time-text.ts';

/** A row of a file: its line, from 1, and its cells by name. An empty cell is absent. */
interface Row {
  readonly line: number;
  readonly cells: ReadonlyMap<string, string>;
}

interface PostFileRules {
  /** Whose posts they are where a row does not say. */
  readonly account: string | undefined;
  readonly accounts: readonly string[];
  /** No post is later. UTC ms. */
  readonly now: number;
}

interface PostFile {
  /** Oldest first. */
  readonly posts: readonly PostFact[];
  /** Rows whose id comes again further down, where the last one holds. */
  readonly repeated: number;
}

/** More in one file would be one block of the log, which is read and written as a whole. */
const MOST_POSTS = 200_000;
/** So many faults are named. */
const MOST_FAULTS = 10;
const ID = /^\d{1,20}$/;

/** The posts of a CSV file or of one with a JSON object per line; rejects with every faulty line and what is wrong with it. */
export async function readPostFile(path: string, rules: PostFileRules): Promise<PostFile> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new ServiceError('IMPORT_FILE', `${path} cannot be read: ${messageOf(cause)}`, { cause });
  });
  const faults: string[] = [];
  const byId = new Map<string, PostFact>();
  let rows = 0;
  for (const row of /\.(jsonl|ndjson)$/.test(path) ? jsonRows(text) : csvRows(text, path)) {
    const post = 'fault' in row ? row.fault : postOf(row, rules);
    if (typeof post === 'string') {
      faults.push(`line ${row.line} ${post}`);
      continue;
    }
    rows += 1;
    byId.set(`${post.account} ${post.id}`, post);
  }
  if (faults.length > 0) throw new ServiceError('IMPORT_FILE', faultText(path, faults));
  if (rows === 0) throw new ServiceError('IMPORT_FILE', `${path} has no post`);
  if (byId.size > MOST_POSTS)
    throw new ServiceError(
      'IMPORT_FILE',
      `${path} has ${byId.size} posts: import at most ${MOST_POSTS} at a time`,
    );
  const posts = [...byId.values()].sort((a, b) => a.createdAt - b.createdAt);
  return { posts, repeated: rows - byId.size };
}

function faultText(path: string, faults: readonly string[]): string {
  const more = faults.length > MOST_FAULTS ? [`${faults.length - MOST_FAULTS} more`] : [];
  return `nothing of ${path} was imported: ${[...faults.slice(0, MOST_FAULTS), ...more].join('; ')}`;
}

function csvRows(text: string, path: string): readonly Row[] {
  const [header, ...lines] = csvLines(text, path);
  const names = header?.cells.map((name) => name.trim()) ?? [];
  return lines.map(({ line, cells }) => {
    const named = names.map((name, place) => [name, cells[place] ?? ''] as const);
    return { line, cells: new Map(named.filter(([, cell]) => cell.trim() !== '')) };
  });
}

type JsonRow = Row | { readonly line: number; readonly fault: string };

function jsonRows(text: string): readonly JsonRow[] {
  return text.split('\n').flatMap((json, index): readonly JsonRow[] => {
    const line = index + 1;
    if (json.trim() === '') return [];
    const value = parsed(json);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return [{ line, fault: 'is no JSON object' }];
    const cells = Object.entries(value).flatMap(([name, cell]: [string, unknown]) =>
      cell === null || cell === '' ? [] : [[name, String(cell)] as const],
    );
    return [{ line, cells: new Map(cells) }];
  });
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The post of a row, or what is wrong with it. */
function postOf({ cells }: Row, { account: usual, accounts, now }: PostFileRules): PostFact | string {
  const cell = (...names: readonly string[]) =>
    names.map((name) => cells.get(name)).find((text) => text !== undefined);
  const account = cell('account')?.trim() ?? usual;
  if (account === undefined) return 'has no account, which --account would name for all';
  if (!accounts.includes(account))
    return `has the account ${account}, expected one of ${accounts.join(', ')}`;
  const id = cell('id', 'tweet_id')?.trim() ?? '';
  if (!ID.test(id)) return `has ${id === '' ? 'no id' : `the id ${id}`}, expected the digits of a post id`;
  const time = cell('created_ts', 'created_at', 'ts')?.trim() ?? '';
  const createdAt = timeOfText(time);
  if (createdAt === undefined) return `has ${time === '' ? 'no created_ts' : time}, expected ${TIME_SHAPES}`;
  if (createdAt > now) return `has ${time}, which is still to come`;
  const flags = new Map<string, boolean | null>();
  for (const name of FLAGS) {
    const text = cell(name, ...(name === 'is_repost' ? ['is_retweet'] : []))?.trim();
    const flag = text === undefined ? null : FLAG_TEXTS.get(text.toLowerCase());
    if (flag === undefined) return `has ${text} as ${name}, expected true or false`;
    flags.set(name, flag);
  }
  const flag = (name: (typeof FLAGS)[number]) => flags.get(name) ?? null;
  const isCounted = flag('is_counted');
  const isReply = flag('is_reply');
  const isRepost = flag('is_repost') ?? false;
  return {
    ...{ kind: 'post', account, via: 'import', id, createdAt },
    ...{ text: cell('text') ?? '', url: cell('url')?.trim() ?? '' },
    isReply,
    // An exported post says whether it counts, and the usual rule counts replies to oneself alone and no community's reposts.
    isReplyToSelf:
      flag('is_reply_to_self') ?? (isReply === true ? isCounted : isReply === null ? null : false),
    isQuote: flag('is_quote') ?? (isReply === null ? null : false),
    isRepost,
    isFromCommunity: flag('is_from_community') ?? (isRepost && isCounted === false),
  };
}

const FLAGS = [
  ...(['is_reply', 'is_reply_to_self', 'is_quote', 'is_repost', 'is_from_community'] as const),
  'is_counted',
] as const;

const FLAG_TEXTS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);
