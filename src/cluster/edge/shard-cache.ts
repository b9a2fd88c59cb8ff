import { type Observable, Subject } from 'rxjs';
import { isKept, type Output } from '../../../streams/internal.ts';
import type { Place, StoredEntry } from '../../bus/bus.ts';
import { BusError } from '../../bus/bus-error.ts';
import { isRefusedWrite } from '../../errors.ts';
import { createCompaction } from '../../feed/log/compaction.ts';
import { createRetryingWriter, firstRefusal } from '../../resilience/retry-write.ts';
import type { FeedRow, Store } from '../../store/store.ts';
import { createLatest, type Latest, type OutputOf } from '../../views/latest.ts';
import { decodeFeedEntry, type FeedEntry } from '../entries/feed-entry.ts';
import { decodeOutputsEntry, type OutputsEntry } from '../entries/outputs-entry.ts';
import { passingTexts } from '../passing.ts';
import { passingOf, placeOf, rememberPlace } from './cache-notes.ts';

/** After a kill at most so much is applied again. */
const REMEMBER_MS = 5_000;
/** Rows of history that are dropped together. Nobody reads history on an edge. */
const PRUNE_ROWS = 1_000;

/** Frames that are on disk, and the tick of their turn if it had one. */
interface CachedFrames {
  readonly rows: readonly FeedRow[];
  readonly tick: OutputOf<'freshness'> | undefined;
  /** Frames of keys that were gone before this are not read again, UTC ms; undefined most of the time. */
  readonly goneBefore: number | undefined;
}

/** What an edge has of one shard: its latest values and its frames of a day, as the leading engine made them. */
export interface ShardCache {
  readonly latest: Latest;
  readonly store: Store;
  /** The last applied place. */
  readonly place: Place;
  readonly frames$: Observable<CachedFrames>;
  /** The seq of the shard's log up to which all frames are here. */
  framesUpTo(): number;
  apply(entry: StoredEntry): Promise<void>;
  close(): Promise<void>;
}

interface ShardCacheDeps {
  readonly store: Store;
  /** Of the cluster. */
  readonly epoch: string;
  /** Ms that never go back. */
  readonly mono: () => number;
  readonly report: (error: unknown) => void;
}

/** Opens the cache in a store that was filled. The cache closes it. */
export async function openShardCache({ store, epoch, mono, report }: ShardCacheDeps): Promise<ShardCache> {
  const { outputs, feed, notes } = store;
  await outputs.prepare();
  const latest = createLatest(outputs, { mono });
  latest.loadFrom(outputs);
  latest.load(passingOf(notes));
  let place = placeOf(notes)?.place ?? 0;
  let rememberedAt = mono();
  const lastSeqs = new Map(feed.topics().map(({ topic, seq }) => [topic, seq]));
  let framesUpTo = feed.head()?.upTo ?? 0;
  let tick: OutputOf<'freshness'> | undefined;
  let pruning: Promise<unknown> = Promise.resolve();
  const frames = new Subject<CachedFrames>();
  const compaction = createCompaction(feed, report);
  const writer = createRetryingWriter({ onRefused: firstRefusal(report), isRefusal: isRefusedWrite });

  function isNews({ stream, key, seq }: Output): boolean {
    return seq > (isKept(stream) ? outputs.upTo : (latest.get(stream, key)?.seq ?? 0));
  }

  async function applyOutputs({ upTo, calendarAt, outputs: all }: OutputsEntry): Promise<void> {
    const news = all.filter(isNews);
    if (news.some(({ stream }) => isKept(stream))) await writer.write(() => outputs.append(news, upTo));
    if (news.length === 0) return;
    const isNewest = upTo >= latest.seq;
    for (const output of news) {
      if (output.stream !== 'freshness') continue;
      tick = output;
      latest.ticked(0);
    }
    latest.apply(news, isNewest ? upTo : latest.seq, isNewest ? calendarAt : latest.at);
  }

  async function applyFrames(entry: FeedEntry): Promise<void> {
    if (entry.epoch !== epoch) {
      throw new BusError(
        'BUS_OTHER_CLUSTER',
        `frames of epoch ${entry.epoch} came, and the cluster has epoch ${epoch}`,
      );
    }
    const lastOf = (topic: string) => lastSeqs.get(topic) ?? 0;
    const rows = entry.rows.filter(({ topic, seq }) => seq > lastOf(topic));
    const topics = entry.topics.filter(({ topic, seq }) => seq >= lastOf(topic));
    const upTo = Math.max(framesUpTo, entry.upTo);
    if (rows.length > 0) {
      await writer.write(() => feed.append({ epoch, upTo, rows, topics }));
      for (const { topic, seq } of topics) lastSeqs.set(topic, seq);
      compaction.onStored(rows);
    }
    framesUpTo = upTo;
    const isTold = tick !== undefined && tick.seq <= entry.upTo;
    const told = isTold ? tick : undefined;
    if (isTold) tick = undefined;
    frames.next({ rows, tick: told, goneBefore: told && pruneAt(told.at) });
  }

  function pruneAt(at: number): number | undefined {
    const goneBefore = compaction.onTick(at);
    if (goneBefore === undefined) return undefined;
    pruning = pruning.then(pruneHistory).catch(report);
    return goneBefore;
  }

  async function pruneHistory(): Promise<void> {
    while ((await outputs.prune(outputs.upTo, PRUNE_ROWS)) === PRUNE_ROWS);
  }

  async function remember(): Promise<void> {
    rememberedAt = mono();
    await writer.write(() => rememberPlace(notes, { epoch, place }, passingTexts(latest)));
  }

  return {
    latest,
    store,
    get place() {
      return place;
    },
    frames$: frames.asObservable(),
    framesUpTo: () => framesUpTo,
    async apply(entry) {
      if (entry.kind === 'outputs') await applyOutputs(decodeOutputsEntry(entry.bytes));
      else if (entry.kind === 'feed') await applyFrames(decodeFeedEntry(entry.bytes));
      place = entry.place;
      if (mono() - rememberedAt >= REMEMBER_MS) await remember();
    },
    async close() {
      writer.stop();
      await remember().catch(report);
      await compaction.stop();
      await pruning;
      frames.complete();
      await store.close();
    },
  };
}
