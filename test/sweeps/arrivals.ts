import assert from 'node:assert/strict';
import { createQuotas, type Quotas } from '../../src/access/limits/quotas.ts';
import { nextFreeAt } from '../../src/access/limits/sliding-hour.ts';
import { createRng } from '../../src/world/rng.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';

export interface ArrivalSweep {
  readonly arrivals: number;
  /** Decides who comes when, and when the service is killed. */
  readonly seed: number;
}

export interface ArrivalCounts {
  readonly arrivals: number;
  readonly admitted: number;
  readonly kills: number;
  /** The most calls of one caller that any kill made the service forget. */
  readonly mostForgotten: number;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const FLUSH_MS = 1_000;
const LIMITS = [1, 7, 100, 300];

interface Caller {
  readonly address: string;
  readonly limit: number;
  readonly nextMs: (nowMs: number, random: () => number) => number;
  /** When each call was let in that the service still knows of. */
  readonly admittedMs: number[];
}

/** How long a caller waits before the next call, by ways to get the most out of a window. */
const HABITS: readonly Caller['nextMs'][] = [
  // As fast as can be, always.
  (_, random) => random() * 2_000,
  // All at once around the change of a minute, or of an hour.
  (now, random) => MINUTE_MS - (now % MINUTE_MS) + (random() < 0.5 ? -1 : 0) + random() * 2,
  (now, random) => (random() < 0.98 ? 1 : HOUR_MS - (now % HOUR_MS) - 1),
  // In bursts with pauses of about an hour.
  (_, random) => (random() < 0.995 ? random() * 20 : HOUR_MS - MINUTE_MS + random() * 2 * MINUTE_MS),
  // Evenly, a little faster than allowed.
  (_, random) => 30_000 + random() * 3_000,
];

/**
 * Lets callers with habits made to break a window arrive in virtual time, and checks after every call let in that
 * no 3,600 s hold more of them than the limit, and after every refusal that the last 3,600 s hold as many.
 * Now and then the process is killed: what was counted more than a flush ago has to be known after it.
 */
export async function sweepArrivals({ arrivals, seed }: ArrivalSweep): Promise<ArrivalCounts> {
  const random = createRng(seed).next;
  let nowMs = Date.UTC(2026, 0, 1) + Math.floor(random() * HOUR_MS);
  const { calls } = createMemoryStore();
  let quotas = createQuotas();
  let flushedMs = nowMs;
  const counts = { arrivals, admitted: 0, kills: 0, mostForgotten: 0 };
  let seen = 0;
  while (seen < arrivals) {
    const callers = makeCallers(random);
    const due = callers.map(() => nowMs + random() * 1_000);
    const roundEnd = Math.min(arrivals, seen + 20_000);
    while (seen < roundEnd) {
      const which = due.reduce((best, at, index) => (at < (due[best] ?? 0) ? index : best), 0);
      const caller = callers[which];
      if (caller === undefined) throw new RangeError('no caller');
      nowMs = Math.max(nowMs, Math.floor(due[which] ?? 0));
      if (nowMs - flushedMs >= FLUSH_MS) {
        await calls.append({ at: nowMs, sinceBoot: null, callers: quotas.changes(nowMs) }, nowMs - HOUR_MS);
        flushedMs = nowMs;
      }
      if (random() < 0.000_2) {
        quotas = createQuotas();
        quotas.restore(
          calls.all().flatMap(({ callers }) => callers),
          nowMs,
        );
        counts.kills += 1;
        for (const each of callers)
          counts.mostForgotten = Math.max(counts.mostForgotten, forget(each, flushedMs));
      }
      seen += 1;
      if (arrive(quotas, caller, nowMs)) counts.admitted += 1;
      due[which] = nowMs + Math.max(0, caller.nextMs(nowMs, random));
    }
    // A later round is of others, who find whatever this one has left behind.
    nowMs += Math.floor(random() * HOUR_MS);
  }
  return counts;
}

function makeCallers(random: () => number): readonly Caller[] {
  const round = Math.floor(random() * 1e9);
  return HABITS.flatMap((nextMs, habit) =>
    LIMITS.map((limit) => ({ address: `${round}-${habit}-${limit}`, limit, nextMs, admittedMs: [] })),
  );
}

function arrive(quotas: Quotas, { address, limit, admittedMs }: Caller, nowMs: number): boolean {
  const hour = quotas.ofAddress(address, nowMs);
  if (!quotas.charge(hour, nowMs, limit)) {
    const within = admittedMs.at(-limit) ?? Number.NEGATIVE_INFINITY;
    assert.ok(nowMs - within < HOUR_MS, 'refused although quota was back');
    assert.equal(nextFreeAt(hour, limit, nowMs), within + HOUR_MS);
    return false;
  }
  const before = admittedMs.at(-limit);
  assert.ok(before === undefined || nowMs - before >= HOUR_MS, `${limit + 1} calls within 3,600 s`);
  admittedMs.push(nowMs);
  return true;
}

/** Drops what came with the last flush, which goes before the call of its instant, or after; returns how much. */
function forget({ admittedMs }: Caller, flushedMs: number): number {
  const kept = admittedMs.findLastIndex((at) => at < flushedMs) + 1;
  return admittedMs.splice(kept).length;
}
