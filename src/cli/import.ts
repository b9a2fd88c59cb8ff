import { Command } from 'commander';
import type { Imported } from '../research/import/import-posts.ts';
import { loadSettings } from './load-config.ts';
import { addManual } from './manual.ts';
import { addSettings } from './options.ts';
import type { ProcessLike } from './process-like.ts';
import { writeData } from './write-data.ts';

interface Flags extends Readonly<Record<string, unknown>> {
  readonly account?: string;
  readonly complete?: boolean;
}

const SETTINGS_READ = ['data', 'json'] as const;

async function run(path: string, { account, complete, ...flags }: Flags, proc: ProcessLike): Promise<void> {
  const { data, json } = loadSettings(SETTINGS_READ, { flags, env: proc.env });
  const { importPosts } = await import('../research/import/import-posts.ts');
  const options = { path, account, isComplete: complete === true, now: Date.now() };
  const say = (sentence: string) => proc.stderr.write(`${sentence}\n`);
  const imported = await writeData(data, { say }, (store) => importPosts(store, options));
  proc.stdout.write(`${json ? JSON.stringify(toJson(imported, data)) : toText(imported, data)}\n`);
}

function toJson({ posts, seqs, repeated, known, isForNextStart }: Imported, data: string) {
  const [first_seq = null, last_seq = null] = seqs ?? [];
  return {
    type: 'import',
    data,
    posts,
    first_seq,
    last_seq,
    repeated,
    known,
    for_next_start: isForNextStart,
  };
}

function toText({ posts, seqs, repeated, known, isForNextStart }: Imported, data: string): string {
  const counts = Object.entries(posts).map(([account, count]) => `${count} of ${account}`);
  const told =
    seqs === null ? 'no new post' : `${counts.join(', ') || 'no new post'}, seq ${seqs[0]} to ${seqs[1]}`;
  const rest = [
    ...(known > 0 ? [`${known} were there already`] : []),
    ...(repeated > 0 ? [`${repeated} rows repeat an id`] : []),
    ...(isForNextStart ? ['the next start computes what follows from them'] : []),
  ];
  return [`imported into ${data}: ${told}`, ...rest].join('; ');
}

export function importCommand(proc: ProcessLike): Command {
  const command = new Command('import')
    .argument('<file>', 'posts as .csv with a header, or as .jsonl with an object per line')
    .option('--account <id>', 'whose posts they are, where the rows do not say')
    .option('--complete', 'the file has every post from its first one on, so that counts may rely on it')
    .action((path: string, flags: Flags) => run(path, flags, proc));
  return addManual(addSettings(command, SETTINGS_READ), {
    summary: 'bring a post history of your own into a data folder',
    description:
      'Appends the posts of a file to the log of a folder that no engine is using. Rows need id and created_ts (ISO, ' +
      'ms or seconds), and may have account, text, url, is_reply, is_reply_to_self, is_quote, is_repost, ' +
      'is_from_community and is_counted, as `export posts` writes them. A row without is_reply counts. What is ' +
      'imported is marked: `via` of the post is import until the timeline shows it. Ids that the folder has are left ' +
      'out. With a faulty row nothing is imported.',
    examples: [
      ['tallywire import posts.csv --account a', 'posts of account a'],
      ['tallywire import posts.jsonl --account a --complete', 'all of them, for counts and fits'],
    ],
    exitCodes: [
      [0, 'imported, or nothing was new'],
      [1, 'a row is faulty, the folder is in use, belongs to a cluster or has no log; nothing was imported'],
      [2, 'bad usage or configuration'],
    ],
  });
}
