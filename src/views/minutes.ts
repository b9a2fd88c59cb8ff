import { createLoopYield } from '../resilience/loop-yield.ts';
import type { Journal, Outputs } from '../store/store.ts';
import type { OutputOf } from './latest.ts';
import { keyOf, outputOf } from './output-lookup.ts';

/** After so many rows of other events the place of the next step is looked up, which takes as long as reading some rows. */
const FAR_ROWS = 64;

export interface MinutesQuestion {
  readonly eventId: number;
  /** From `fromAt` until before `toAt`, UTC ms. */
  readonly fromAt: number;
  readonly toAt: number;
  /** Of each span of so many ms, counted from 1970, the last minute is read. */
  readonly stepMs: number;
  /** The most minutes to read. */
  readonly limit: number;
  /** Bounds of what is kept and published, as seqs of the log. */
  readonly firstSeq: number;
  readonly lastSeq: number;
}

export interface ReadMinutes {
  /** The oldest first; the newest of those there are, if there are more than the limit. */
  readonly minutes: readonly OutputOf<'minutes'>[];
  readonly hasOlder: boolean;
}

/** Reads the minutes of an event, newest first. For each that it returns it reads a minute of all events, however long the steps. */
export async function readMinutes(
  { journal, outputs }: { readonly journal: Journal; readonly outputs: Outputs },
  { eventId, fromAt, toAt, stepMs, limit, firstSeq, lastSeq }: MinutesQuestion,
): Promise<ReadMinutes> {
  const key = String(eventId);
  const loop = createLoopYield();
  const endSeq = Math.max(firstSeq, journal.seqAt(fromAt - 1) + 1);
  const found: OutputOf<'minutes'>[] = [];
  let hasOlder = false;
  /** The step of the last one found. */
  let step = Number.POSITIVE_INFINITY;

  /** Whether the minute is of the next step that is wanted, which is then the last one found. */
  function take(minute: OutputOf<'minutes'>): boolean {
    const { at } = minute.record;
    const stepOf = Math.floor(at / stepMs);
    if (at < fromAt || at >= toAt || stepOf >= step) return false;
    hasOlder = found.length === limit;
    if (!hasOlder) found.push(minute);
    step = stepOf;
    return true;
  }

  /** Reads on from a seq; returns the one to jump to, or undefined at the end. */
  async function readFrom(startSeq: number): Promise<number | undefined> {
    let passed = 0;
    for (const row of outputs.readBack('minutes', startSeq)) {
      if (row.seq < endSeq) return undefined;
      if (loop.isDue()) await loop.yield();
      passed += 1;
      if (keyOf(row) === key) {
        const output = outputOf(row);
        if (output.stream === 'minutes' && take(output)) passed = 0;
        if (hasOlder) return undefined;
      }
      if (passed !== FAR_ROWS || found.length === 0) continue;
      const nextSeq = journal.seqAt(step * stepMs - 1);
      if (nextSeq < row.seq) return nextSeq;
    }
    return undefined;
  }

  // Nothing is searched for after the last one.
  const newestSeq = outputs.get('minutes', key)?.seq ?? 0;
  let next: number | undefined = Math.min(journal.seqAt(toAt - 1), lastSeq, newestSeq);
  while (next !== undefined) next = await readFrom(next);
  return { minutes: found.reverse(), hasOlder };
}
