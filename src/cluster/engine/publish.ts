import { GRAPH_VERSION } from '../../../streams/internal.ts';
import type { EntryKind, Place, ShardWriter } from '../../bus/bus.ts';
import type { Publishing } from '../../engine/turns.ts';
import type { StoredFrames } from '../../store/store.ts';
import { nextDigest } from '../entries/chain.ts';
import { encodeFeedEntry, type FeedEntry } from '../entries/feed-entry.ts';
import { encodeLogEntry } from '../entries/log-entry.ts';
import { encodeOutputsEntry } from '../entries/outputs-entry.ts';
import type { Position } from './position.ts';

interface PublishDeps {
  readonly writer: ShardWriter;
  /** Where the term begins. */
  readonly position: Position;
  /** Called once, with why nothing can be published any more. */
  readonly onOver: (error: unknown) => void;
}

/** What a leader tells the others, and what of that is in its own store too. */
export interface LeaderPublishing {
  readonly publishing: Publishing;
  /** Resolves once all machines will know the frames, which then have to be stored with `frames`. */
  readonly share: (batch: FeedEntry) => Promise<void>;
  /** The same stored frames, watched. */
  frames(window: StoredFrames): StoredFrames;
  /** For changes to what is kept of callers: each entry that was appended has to be told to be applied. */
  readonly access: { append(bytes: Uint8Array): Promise<Place>; applied(): void };
  /** The last one at which everything that was told was stored here as well. */
  readonly position: Position;
  /** Ms for which the oldest append has waited for the bus; 0 while none waits. */
  heldMs(): number;
}

export function createPublishing(
  { writer, position: begin, onOver }: PublishDeps,
  now: () => number,
): LeaderPublishing {
  let { seq, digest, outputsUpTo } = begin;
  let settled: Position = { ...begin, place: writer.place };
  /** What was told, or is being told, and is not stored here yet. */
  let underWay = 0;
  let failure: { readonly error: unknown } | undefined;
  /** In the order of the appends. */
  const waiting = new Set<{ readonly since: number }>();

  function ended(): void {
    underWay -= 1;
    if (underWay > 0 || failure !== undefined) return;
    settled = { ...begin, place: writer.place, seq, digest, outputsUpTo, graphVersion: GRAPH_VERSION };
  }

  function fail(error: unknown): never {
    if (failure === undefined) onOver(error);
    failure ??= { error };
    throw error;
  }

  async function append(kind: EntryKind, bytes: Uint8Array): Promise<Place> {
    const appending = { since: now() };
    waiting.add(appending);
    try {
      return await writer.append({ kind, bytes });
    } catch (error) {
      return fail(error);
    } finally {
      waiting.delete(appending);
    }
  }

  return {
    publishing: {
      async log(observations, store) {
        const next = observations.reduce(nextDigest, digest);
        underWay += 1;
        await append('log', encodeLogEntry({ digest: next, graphVersion: GRAPH_VERSION, observations }));
        await store().catch(fail);
        digest = next;
        seq = observations.at(-1)?.seq ?? seq;
        ended();
      },
      async outputs(turn, store) {
        underWay += 1;
        const [told, stored] = await Promise.allSettled([
          append('outputs', encodeOutputsEntry(turn)),
          store(),
        ]);
        for (const each of [told, stored]) if (each.status === 'rejected') fail(each.reason);
        outputsUpTo = turn.upTo;
        ended();
      },
    },
    async share(batch) {
      underWay += 1;
      await append('feed', encodeFeedEntry(batch));
    },
    frames: (window) => ({
      ...window,
      async append(batch) {
        await window.append(batch);
        ended();
      },
    }),
    access: {
      append(bytes) {
        underWay += 1;
        return append('access', bytes);
      },
      applied: ended,
    },
    get position() {
      return settled;
    },
    heldMs() {
      const [oldest] = waiting;
      return oldest === undefined ? 0 : now() - oldest.since;
    },
  };
}
