import type { AccountId } from '../../../streams/internal.ts';
import type { Bus } from '../../bus/bus.ts';
import { backoffDelay } from '../../resilience/backoff.ts';
import type { Latest } from '../../views/latest.ts';
import { passingTexts } from '../passing.ts';
import type { SnapshotJob } from './snapshot-job.ts';

/** Much is logged soon after a first start, and an edge that starts then would have to follow all of it. */
const FIRST_WAIT_MS = 10_000;
const EVERY_MS = 5 * 60_000;
/** When one failed, or before the first one. */
const RETRY_MS = 2_000;

interface SnapshotsDeps {
  readonly bus: Pick<Bus, 'epoch'> & { readonly snapshots: Pick<Bus['snapshots'], 'save'> };
  readonly shard: string;
  /** The data folder of this engine. */
  readonly folder: string;
  readonly accounts: readonly AccountId[];
  readonly latest: Latest;
  /** The bytes of a snapshot of the store in the folder. */
  readonly takeSnapshot: (job: SnapshotJob, signal: AbortSignal) => AsyncIterable<Uint8Array>;
  /** The last place of the stream whose entry is in the store and in the latest values; undefined before the first. */
  readonly place: () => number | undefined;
  readonly report: (error: unknown) => void;
  /** The longest wait for the next one. */
  readonly everyMs?: number;
}

interface SnapshotMaking {
  /** Gives up the one that is being made, and resolves when nothing of it goes on. */
  stop(): Promise<void>;
}

/** Makes a snapshot of the shard soon, and then again after waits that double up to a few minutes. */
export function startSnapshots(deps: SnapshotsDeps): SnapshotMaking {
  const { bus, shard, folder, accounts, latest, takeSnapshot, report, everyMs = EVERY_MS } = deps;
  const waits = { firstMs: Math.min(FIRST_WAIT_MS, everyMs), longestMs: everyMs };
  let made = 0;
  const stopping = new AbortController();
  const { signal } = stopping;
  let timer: NodeJS.Timeout | undefined;
  let making: Promise<void> = Promise.resolve();

  async function make(): Promise<boolean> {
    // Read before everything else: what is read later may be newer, and is then found to be known.
    const place = deps.place();
    if (place === undefined) return false;
    const passing = [...passingTexts(latest)];
    const job = { folder, epoch: bus.epoch, accounts: [...accounts], passing };
    await bus.snapshots.save(shard, place, takeSnapshot(job, signal));
    return true;
  }

  async function run(): Promise<void> {
    const isMade = await make().catch((error: unknown) => {
      if (!signal.aborted) report(error);
      return false;
    });
    if (isMade) made += 1;
    if (!signal.aborted) runAfter(isMade ? backoffDelay(waits, made) : RETRY_MS);
  }

  function runAfter(ms: number): void {
    timer = setTimeout(() => {
      making = run();
    }, ms);
    timer.unref();
  }

  runAfter(0);
  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await making;
    },
  };
}
