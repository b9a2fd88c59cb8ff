import { SourceError } from '../errors.ts';
import { backoffDelay } from '../resilience/backoff.ts';
import { remembered } from '../resilience/remembered.ts';
import { isRefusal } from './read-payload.ts';
import type { SourceContext } from './source.ts';

const BACKOFF = { firstMs: 2_000, longestMs: 30_000 };
const REMEMBERED = 2_000;
/** One part may fail by itself. So many in a row concern the host, which is then left alone. */
const FAILURES_OF_HOST = 2;

interface PartReading<T> {
  readonly nameOf: (part: T) => string;
  readonly read: (part: T) => Promise<void>;
}

/** The parts that a source reads by separate requests, such as a list and single totals. */
export interface Parts {
  /**
   * Reads one part after the other. A part that fails is left out for a time that doubles with each failure in a row,
   * whatever the others answer, and does not keep them from their turn. The first failure is thrown at the end; one that
   * asks to wait, or is a bug, at once.
   */
  readEach<T>(parts: Iterable<T>, reading: PartReading<T>, signal: AbortSignal): Promise<void>;
  readOne(name: string, read: () => Promise<void>, signal: AbortSignal): Promise<void>;
  /**
   * How long a part that has failed is still left out: 0 when it has become due since it was left out, or it would wait for
   * its next turn. Undefined for any other.
   */
  leftOutMs(name: string): number | undefined;
}

interface Waiting {
  readonly failures: number;
  readonly dueAt: number;
}

/** Kept over restarts of the source, or a restart would ask again what has just failed. */
export function createParts(): (context: Pick<SourceContext, 'mono'>) => Parts {
  const waiting = remembered<string, Waiting>(REMEMBERED);
  return ({ mono }) => {
    async function readEach<T>(parts: Iterable<T>, { nameOf, read }: PartReading<T>, signal: AbortSignal) {
      let firstFailure: SourceError | undefined;
      let hostFailures = 0;
      for (const part of parts) {
        const name = nameOf(part);
        const known = waiting.get(name);
        if (known !== undefined && mono() < known.dueAt) continue;
        try {
          await read(part);
          waiting.delete(name);
          hostFailures = 0;
        } catch (error) {
          if (!(error instanceof SourceError) || signal.aborted) throw error;
          const failures = (known?.failures ?? 0) + 1;
          waiting.set(name, { failures, dueAt: mono() + backoffDelay(BACKOFF, failures) });
          if (error.retryAfterMs !== undefined || error.status === 429) throw error;
          firstFailure ??= error;
          hostFailures = isRefusal(error) ? 0 : hostFailures + 1;
          if (hostFailures >= FAILURES_OF_HOST) break;
        }
      }
      if (firstFailure !== undefined) throw firstFailure;
    }
    return {
      readEach,
      readOne: (name, read, signal) => readEach([name], { nameOf: () => name, read }, signal),
      leftOutMs(name) {
        const known = waiting.get(name);
        return known && Math.max(0, known.dueAt - mono());
      },
    };
  };
}
