import * as z from 'zod';
import type { Store } from '../../src/store/store.ts';
import type { Part } from './simulated-disk.ts';
import type { Violations } from './violations.ts';

const outputs = z.array(
  z.object({ stream: z.string(), key: z.string(), seq: z.number(), record: z.unknown() }),
);
const counters = z.object({ real: z.number().nullable() });

/** What may change which posts lie in a window, or which posts count. */
const WINDOW_KINDS: ReadonlySet<string> = new Set(['event', 'tracking', 'settings']);

interface FallingCounts {
  /** Told what the disk keeps. */
  onKept(part: Part, method: string, args: readonly unknown[]): void;
}

/** A count of posts becomes lower only when the log says why: another window, another version of a post, other settings. */
export function createFallingCounts({
  kept,
  violations: { check },
}: {
  readonly kept: Store;
  readonly violations: Pick<Violations, 'check'>;
}): FallingCounts {
  /** The last count that was known of each event. */
  const counts = new Map<string, number>();

  /** The kind of the observation, and whether it could make a count lower. */
  function causeOf(seq: number): { readonly kind: string; readonly isReason: boolean } {
    for (const { fact } of kept.journal.read(seq)) {
      const { kind } = fact;
      if (kind !== 'post') return { kind, isReason: WINDOW_KINDS.has(kind) };
      for (const { fact: earlier } of kept.journal.readBack(seq - 1))
        if (earlier.kind === 'post' && earlier.id === fact.id) return { kind: 'edit', isReason: true };
      return { kind, isReason: false };
    }
    return { kind: 'nothing', isReason: false };
  }

  return {
    onKept(part, method, args) {
      if (part !== 'outputs') return;
      // All of it is computed anew then.
      if (method === 'clear') counts.clear();
      if (method !== 'append') return;
      for (const { stream, key, seq, record } of outputs.parse(args[0])) {
        if (stream !== 'counters') continue;
        const { real } = counters.parse(record);
        if (real === null) continue;
        const before = counts.get(key) ?? 0;
        const cause = real < before ? causeOf(seq) : undefined;
        check(
          2,
          cause === undefined || cause.isReason,
          () => `event ${key} fell from ${before} to ${real} with ${cause?.kind} ${seq}`,
        );
        counts.set(key, real);
      }
    },
  };
}
