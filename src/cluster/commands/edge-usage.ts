import { createUsageBuffer, type RecordedRequest, type UsageRecorder } from '../../access/usage/recorder.ts';
import { sumOf, type UsageBatch } from '../../access/usage/tracking.ts';
import { createPeriodicWrite } from '../../resilience/periodic-write.ts';

/** Records what an edge answers, and has the leading engine count it. */
export interface EdgeUsage extends UsageRecorder {
  /** Sends what was recorded. Never rejects: what was not taken is sent again. */
  flush(): Promise<void>;
  /** Sends once a second from now on. */
  start(): void;
  /** Sends one last time. */
  stop(): Promise<void>;
}

interface EdgeUsageDeps {
  /** Resolves once the engine has stored it. `n` counts batches from 1; one with the same number is the same batch. */
  readonly send: (n: number, batch: UsageBatch) => Promise<void>;
  /** UTC ms. */
  readonly now: () => number;
  /** Called with the first of several failures in a row. */
  readonly report: (error: unknown) => void;
}

const SEND_INTERVAL_MS = 1_000;
/** Of errors and of different sums, while no engine answers. The oldest errors go first, and new sums are left out. */
const MOST_ERRORS = 5_000;
const MOST_SUMS = 20_000;

type Sum = UsageBatch['sums'][number];
type MutableSum = { -readonly [Field in keyof Sum]: Sum[Field] };

export function createEdgeUsage({ send, now, report }: EdgeUsageDeps): EdgeUsage {
  const buffer = createUsageBuffer(now);
  let sums = new Map<string, MutableSum>();
  let errors: RecordedRequest[] = [];
  /** Sent and not known to be stored. */
  let unstored: { readonly n: number; readonly batch: UsageBatch } | undefined;
  let sent = 0;

  function add(request: RecordedRequest): void {
    const { keyId, endpoint, method } = request;
    const at = Math.floor(request.at / 1_000) * 1_000;
    const name = JSON.stringify([keyId, endpoint, method, at]);
    const one = sumOf(request);
    const sum = sums.get(name);
    if (sum !== undefined) {
      sum.requests += one.requests;
      sum.errors += one.errors;
      sum.ms += one.ms;
      sum.bytes += one.bytes;
    } else if (sums.size < MOST_SUMS) sums.set(name, { ...one, keyId, at });
    if (one.errors > 0) errors.push(request);
    if (errors.length >= 2 * MOST_ERRORS) errors = errors.slice(-MOST_ERRORS);
  }

  async function sendAll(): Promise<void> {
    buffer.drain(add);
    if (unstored === undefined) {
      if (sums.size === 0) return;
      sent += 1;
      unstored = { n: sent, batch: { sums: [...sums.values()], errors: errors.slice(-MOST_ERRORS) } };
      sums = new Map();
      errors = [];
    }
    await send(unstored.n, unstored.batch);
    unstored = undefined;
  }

  const writes = createPeriodicWrite({ everyMs: SEND_INTERVAL_MS, write: sendAll, report });
  return { record: buffer.record, flush: writes.flush, start: writes.start, stop: writes.stop };
}
