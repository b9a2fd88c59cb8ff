import { StoreError } from '../../../src/errors.ts';
import { headOf } from '../../../src/store/lmdb/event-heads.ts';
import { checkOutputs } from '../../../src/store/lmdb/outputs.ts';
import type {
  Checkpoint,
  Checkpoints,
  Journal,
  KeptOutput,
  Notes,
  Outputs,
  Store,
} from '../../../src/store/store.ts';
import { entryOf, newestFirst } from '../../../src/views/post-list.ts';
import { isKept, type Observation, type Output, type StreamName } from '../../../streams/internal.ts';
import { createMemoryCallLog, createMemoryGrantLog, createMemoryKeys } from './access.ts';
import { createMemoryAlerts } from './alerts.ts';
import { firstAtLeast } from './first-at-least.ts';
import { createMemoryFrames } from './frames.ts';
import { createMemoryPayments } from './payments.ts';
import { createMemoryUsage } from './usage.ts';
import { createMemoryWaitlist } from './waitlist.ts';

/** A store in memory that behaves like the one on disk, for tests and benchmarks. Appends take as long at any size. */
export function createMemoryStore(): Store {
  return {
    journal: createJournal(),
    outputs: createOutputs(),
    checkpoints: createCheckpoints(),
    notes: createNotes(),
    keys: createMemoryKeys(),
    calls: createMemoryCallLog(),
    grants: createMemoryGrantLog(),
    usage: createMemoryUsage(),
    waitlist: createMemoryWaitlist(),
    feed: createMemoryFrames(),
    payments: createMemoryPayments(),
    alerts: createMemoryAlerts(),
    sizeBytes: () => 0,
    onDamage: () => undefined,
    unfinishedWriteMs: () => 0,
    allowReserve() {},
    async backup() {
      throw new StoreError('STORE_BACKUP', 'a store in memory cannot be backed up');
    },
    async close() {},
  };
}

function createJournal(): Journal {
  let blocks: (readonly Observation[])[] = [];
  const seqOf = (block: readonly Observation[] | undefined) => block?.[0]?.seq ?? 0;
  const lastSeqOf = (block: readonly Observation[] | undefined) => block?.at(-1)?.seq ?? 0;
  const headOf = () => lastSeqOf(blocks.at(-1));
  function* backwards(): Generator<Observation> {
    for (let at = blocks.length - 1; at >= 0; at--) yield* (blocks[at] ?? []).toReversed();
  }
  return {
    get head() {
      return headOf();
    },
    get tail() {
      return seqOf(blocks[0]);
    },
    async append(observations) {
      for (const [index, { seq }] of observations.entries()) {
        const expected = headOf() + 1 + index;
        if (seq !== expected) throw new RangeError(`append of seq ${seq} to the log, expected ${expected}`);
      }
      if (observations.length > 0) blocks.push([...observations]);
    },
    *read(fromSeq) {
      let next = Math.max(fromSeq, 1);
      for (;;) {
        // Looked up each time: the log may have grown or been pruned since the last step.
        const block = blocks[firstAtLeast(blocks, next, lastSeqOf)];
        if (block === undefined) return;
        for (const observation of block) if (observation.seq >= next) yield observation;
        next = lastSeqOf(block) + 1;
      }
    },
    *readBack(fromSeq) {
      for (const observation of backwards()) if (observation.seq <= fromSeq) yield observation;
    },
    seqAt(at) {
      // The time of the log never runs back, and all of a block may have been received at once.
      const later = firstAtLeast(blocks, at + 1, (block) => block.at(-1)?.receivedAt ?? 0);
      const within = blocks[later]?.findLast(({ receivedAt }) => receivedAt <= at);
      return within?.seq ?? lastSeqOf(blocks[later - 1]);
    },
    async prune(beforeSeq, maxBlocks) {
      const stale = blocks.filter(
        (_, at) => at < maxBlocks && at < blocks.length - 1 && seqOf(blocks[at + 1]) <= beforeSeq,
      );
      blocks = blocks.slice(stale.length);
      return stale.length;
    },
  };
}

type PostOutput = Extract<Output, { readonly stream: 'posts' }>;

function createOutputs(): Outputs {
  const history = new Map<StreamName, KeptOutput[]>();
  const latest = new Map<StreamName, Map<string, Output>>();
  const seqOf = ({ seq }: KeptOutput) => seq;
  let mark = 0;
  /** Newest first, by account; those of an account to which a post was added are sorted when they are asked for. */
  const sortedPosts = new Map<string, readonly PostOutput[]>();
  const postsOf = (account: string) => {
    const known = sortedPosts.get(account);
    if (known !== undefined) return known;
    const posts = [...(latest.get('posts')?.values() ?? [])]
      .flatMap((output) => (output.stream === 'posts' && output.record.account === account ? [output] : []))
      .sort(newestFirst);
    sortedPosts.set(account, posts);
    return posts;
  };
  return {
    get upTo() {
      return mark;
    },
    async append(outputs, upTo) {
      checkOutputs(outputs, mark, upTo);
      for (const output of outputs) {
        const { stream, key, seq } = output;
        if (!isKept(stream)) continue;
        const rows = history.get(stream) ?? [];
        history.set(stream, rows);
        // Those of one turn may come in any order, and are kept by seq.
        const place = firstAtLeast(rows, seq + 1, seqOf);
        rows.splice(place, 0, { stream, seq, json: JSON.stringify(output) });
        const values = latest.get(stream) ?? new Map<string, Output>();
        latest.set(stream, values.set(key, output));
        if (output.stream === 'posts') sortedPosts.delete(output.record.account);
      }
      mark = upTo;
    },
    latestAfter: (stream, key, limit) =>
      [...(latest.get(stream)?.values() ?? [])]
        .filter((output) => key === undefined || output.key > key)
        .sort((a, b) => (a.key < b.key ? -1 : 1))
        .slice(0, limit)
        .map((output) => ({ key: output.key, json: JSON.stringify(output) })),
    latest: (stream) => [...(latest.get(stream)?.values() ?? [])],
    *eventHeads() {
      for (const output of latest.get('events')?.values() ?? []) {
        if (output.stream === 'events') yield headOf(output);
      }
    },
    get: (stream, key) => latest.get(stream)?.get(key),
    *timeline(account, { offset = 0, after } = {}) {
      const posts = postsOf(account);
      const first = after === undefined ? 0 : posts.findIndex((post) => newestFirst(after, post) < 0);
      if (first !== -1) yield* posts.slice(first + offset).map(entryOf);
    },
    postCount: (account) => postsOf(account).length,
    async prepare() {},
    async check() {},
    *read(stream, fromSeq) {
      const rows = history.get(stream) ?? [];
      yield* rows.slice(firstAtLeast(rows, fromSeq, seqOf));
    },
    *readBack(stream, fromSeq) {
      const rows = history.get(stream) ?? [];
      yield* rows.slice(0, firstAtLeast(rows, fromSeq + 1, seqOf)).reverse();
    },
    async prune(beforeSeq, maxRows) {
      let dropped = 0;
      for (const rows of history.values()) {
        const stale = Math.min(firstAtLeast(rows, beforeSeq, seqOf), maxRows - dropped);
        rows.splice(0, stale);
        dropped += stale;
      }
      return dropped;
    },
    async clear() {
      history.clear();
      latest.clear();
      sortedPosts.clear();
      mark = 0;
    },
  };
}

function createCheckpoints(): Checkpoints {
  const kept = new Map<number, KeptCheckpoint>();
  const ofVersion = (graphVersion: number) =>
    [...kept.values()].filter((one) => one.graphVersion === graphVersion).sort((a, b) => a.seq - b.seq);
  return {
    async save({ state, ...place }) {
      const bytes = typeof state === 'string' ? Buffer.from(state) : Buffer.concat(state);
      kept.set(place.seq, { ...place, bytes });
    },
    newest: (graphVersion, seq = Number.POSITIVE_INFINITY) =>
      withState(ofVersion(graphVersion).findLast((one) => one.seq <= seq)),
    oldest: (graphVersion) => withState(ofVersion(graphVersion)[0]),
    async *lines(seq) {
      const bytes = kept.get(seq)?.bytes ?? Buffer.alloc(0);
      for (let from = 0; from < bytes.length; ) {
        const end = bytes.indexOf('\n', from);
        const to = end < 0 ? bytes.length : end;
        yield bytes.subarray(from, to);
        from = to + 1;
      }
    },
    list: () =>
      Array.from(kept.values(), ({ seq, at, graphVersion }) => ({ seq, at, graphVersion })).sort(
        (a, b) => a.seq - b.seq,
      ),
    async remove(seq) {
      kept.delete(seq);
    },
  };
}

interface KeptCheckpoint extends Omit<Checkpoint, 'state'> {
  readonly bytes: Buffer;
}

/** Its text is made when it is asked for: most are written and never read. */
function withState(checkpoint: KeptCheckpoint | undefined): Checkpoint | undefined {
  if (checkpoint === undefined) return undefined;
  const { bytes, ...place } = checkpoint;
  return {
    ...place,
    get state() {
      return bytes.toString();
    },
  };
}

function createNotes(): Notes {
  const notes = new Map<string, string>();
  return {
    get: (name) => notes.get(name),
    async set(name, value) {
      notes.set(name, value);
    },
  };
}
