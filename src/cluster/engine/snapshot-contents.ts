import { type AccountId, KEPT_STREAMS, type Output } from '../../../streams/internal.ts';
import type { Store } from '../../store/store.ts';
import type { SnapshotPart } from '../entries/snapshot-format.ts';

/** An edge asks an engine for posts that are older than these. */
const NEWEST_POSTS = 1_000;
const OUTPUTS_PER_PART = 1_000;
const ROWS_PER_PART = 1_000;

interface SnapshotOptions {
  readonly epoch: string;
  readonly accounts: readonly AccountId[];
  /** JSON of the latest outputs of passing streams, which no store has. */
  readonly passing: readonly string[];
}

/** What an edge needs of a store, which must not change meanwhile. */
export function* snapshotParts(
  { outputs, feed }: Pick<Store, 'outputs' | 'feed'>,
  { epoch, accounts, passing }: SnapshotOptions,
): Iterable<SnapshotPart> {
  yield { type: 'head', epoch, outputsUpTo: outputs.upTo, feedUpTo: feed.head()?.upTo ?? 0 };
  yield* keptParts([...latestOf(outputs), ...newestPosts(outputs, accounts)]);
  yield { type: 'passing', outputs: passing };
  const topics = feed.topics();
  yield { type: 'topics', topics: topics.map(({ topic, seq, keys }) => ({ topic, seq, keys: [...keys] })) };
  for (const { topic } of topics) yield* framesOf(feed, topic);
}

function* latestOf(outputs: Store['outputs']): Iterable<Output> {
  for (const stream of KEPT_STREAMS) if (stream !== 'posts') yield* outputs.latest(stream);
}

function* newestPosts(outputs: Store['outputs'], accounts: readonly AccountId[]): Iterable<Output> {
  for (const account of accounts) {
    let count = 0;
    for (const { key } of outputs.timeline(account)) {
      if (count++ === NEWEST_POSTS) break;
      const post = outputs.get('posts', key);
      if (post !== undefined) yield post;
    }
  }
}

/** In the order of their observations, as a store takes them. */
function* keptParts(outputs: readonly Output[]): Iterable<SnapshotPart> {
  let texts: string[] = [];
  let lastSeq = 0;
  for (const output of outputs.toSorted((a, b) => a.seq - b.seq)) {
    if (texts.length >= OUTPUTS_PER_PART && output.seq !== lastSeq) {
      yield { type: 'kept', outputs: texts };
      texts = [];
    }
    texts.push(JSON.stringify(output));
    lastSeq = output.seq;
  }
  if (texts.length > 0) yield { type: 'kept', outputs: texts };
}

function* framesOf(feed: Store['feed'], topic: string): Iterable<SnapshotPart> {
  let seq = 0;
  for (const pack of feed.packs(topic)) {
    yield { type: 'pack', ...pack };
    seq = pack.seq;
  }
  for (;;) {
    const rows = feed.read(topic, seq, ROWS_PER_PART);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield { type: 'rows', rows: [...rows] };
    seq = last.seq;
  }
}
