import {
  createRunner,
  type Fact,
  GRAPH_VERSION,
  type Observation,
  type Output,
  type SettingsFact,
} from '../../../streams/internal.ts';
import { ServiceError } from '../../errors.ts';
import { CLUSTER_NOTE, type Store } from '../../store/store.ts';
import { latestStart } from '../replay-start.ts';
import { readPostFile } from './post-file.ts';

interface ImportOptions {
  readonly path: string;
  readonly account: string | undefined;
  /** Whether the file has every post of its accounts from its first one on, until the log's own begin. */
  readonly isComplete: boolean;
  /** UTC ms. */
  readonly now: number;
}

export interface Imported {
  /** New posts by account, and the first and last seq that they have in the log; null without any. */
  readonly posts: Readonly<Record<string, number>>;
  readonly seqs: readonly [first: number, last: number] | null;
  /** Rows that changed nothing: their id comes again in the file, or is in the folder already. */
  readonly repeated: number;
  readonly known: number;
  /** Whether the next start has to compute what follows from them. */
  readonly isForNextStart: boolean;
}

/**
 * Appends the posts of a file to the log, as one block: all of them or none. What follows from them is computed at once, as
 * the engine would, unless the next start computes everything anew. Only for the process that holds the lock.
 */
export async function importPosts(store: Store, options: ImportOptions): Promise<Imported> {
  const { journal, notes } = store;
  if (notes.get(CLUSTER_NOTE) !== undefined)
    throw new ServiceError(
      'IMPORT_OF_CLUSTER',
      'the folder is one of several machines, whose logs have to be the same',
    );
  const accounts = lastSettings(store)?.accounts.map(({ id }) => id);
  if (accounts === undefined)
    throw new ServiceError(
      'IMPORT_NO_ACCOUNTS',
      'the folder has no log with accounts: start an engine on it first',
    );
  const { account, now, path } = options;
  const { posts, repeated } = await readPostFile(path, { account, accounts, now });
  const news = posts.filter(({ id }) => store.outputs.get('posts', id) === undefined);
  const counts = new Map<string, number>();
  for (const post of news) counts.set(post.account, (counts.get(post.account) ?? 0) + 1);
  const facts: readonly Fact[] = [...news, ...(options.isComplete ? coverageOf(store, news) : [])];
  const first = journal.head + 1;
  const isForNextStart = facts.length > 0 && !(await append(store, facts, now));
  return {
    posts: Object.fromEntries(counts),
    seqs: facts.length === 0 ? null : [first, journal.head],
    repeated,
    known: posts.length - news.length,
    isForNextStart,
  };
}

/** The last settings of the log. They are written at every start, so they are near its end or far back. */
function lastSettings({ journal }: Store): SettingsFact | undefined {
  for (const { fact } of journal.readBack(journal.head)) if (fact.kind === 'settings') return fact;
  return undefined;
}

/** An account whose posts are known from some time on is known from its first imported one on. */
function coverageOf(
  { journal }: Store,
  news: readonly { account: string; createdAt: number }[],
): readonly Fact[] {
  const coveredFrom = new Map<string, number>();
  for (const { fact } of journal.read(journal.tail)) {
    if (fact.kind === 'coverage') coveredFrom.set(fact.account, fact.fromAt);
  }
  const oldest = new Map<string, number>();
  for (const { account, createdAt } of news)
    oldest.set(account, Math.min(oldest.get(account) ?? createdAt, createdAt));
  return [...oldest].flatMap(([account, fromAt]): readonly Fact[] =>
    fromAt < (coveredFrom.get(account) ?? Number.NEGATIVE_INFINITY)
      ? [{ kind: 'coverage', account, fromAt }]
      : [],
  );
}

/** Returns whether what follows from the facts is stored too. */
async function append(store: Store, facts: readonly Fact[], now: number): Promise<boolean> {
  const { journal, outputs, checkpoints } = store;
  let lastAt = 0;
  for (const { receivedAt } of journal.readBack(journal.head)) {
    lastAt = receivedAt;
    break;
  }
  const receivedAt = Math.max(now, lastAt);
  const when = now < receivedAt ? { receivedAt, aheadMs: receivedAt - now } : { receivedAt };
  let seq = journal.head;
  const observations: readonly Observation[] = facts.map((fact) => ({ seq: ++seq, ...when, fact }));
  // Without a checkpoint of this graph the next start derives all outputs again.
  const isDerived = checkpoints.list().some(({ graphVersion }) => graphVersion === GRAPH_VERSION);
  const start = isDerived ? latestStart(store, () => true) : undefined;
  await journal.append(observations);
  if (start === undefined) return false;
  const runner = createRunner(start.state, { isAsking: false });
  const unsaved: Output[] = [];
  for (const observation of journal.read(start.seq + 1)) {
    for (const output of runner.run(observation)) if (observation.seq > outputs.upTo) unsaved.push(output);
  }
  await outputs.append(unsaved, journal.head);
  return true;
}
