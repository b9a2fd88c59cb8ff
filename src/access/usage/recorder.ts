/**
 * Told of every request that was answered, whatever came of it. Called where requests are answered, so it neither
 * waits nor allocates.
 */
export interface UsageRecorder {
  /**
   * `endpoint` is the path of a route, or `unknown` for whatever no route took. `bytes` is the length of the body,
   * without the headers. `keyId` is the public id of a key that is known, or null. `message` is our own sentence
   * about what went wrong; nothing a caller sent may be in it.
   */
  record(
    endpoint: string,
    method: string,
    status: number,
    ms: number,
    bytes: number,
    keyId: string | null,
    message?: string,
  ): void;
}

/** A request as it was recorded. */
export interface Use {
  readonly endpoint: string;
  readonly method: string;
  readonly status: number;
  readonly ms: number;
  readonly bytes: number;
  readonly keyId: string | null;
  readonly message: string;
  readonly at: number;
}

/** What is recorded and not yet accounted for. */
export interface UsageBuffer extends UsageRecorder {
  readonly size: number;
  readonly capacity: number;
  /** Requests that found the buffer full and are in no figure. */
  readonly dropped: number;
  /** Hands over all there is, in order, and begins anew. */
  drain(take: (use: Use) => void): void;
}

/** About two seconds of the most one process serves; 2 MB. */
export const BUFFER_CAPACITY = 32_768;

/** `now` is UTC ms. */
export function createUsageBuffer(now: () => number, capacity = BUFFER_CAPACITY): UsageBuffer {
  // One array per column, filled once: a request writes into slots that are there already.
  const endpoints = new Array<string>(capacity).fill('');
  const methods = new Array<string>(capacity).fill('');
  const keyIds = new Array<string | null>(capacity).fill(null);
  const messages = new Array<string>(capacity).fill('');
  const statuses = new Uint16Array(capacity);
  const durationsMs = new Float64Array(capacity);
  const lengths = new Float64Array(capacity);
  const times = new Float64Array(capacity);
  let size = 0;
  let dropped = 0;

  return {
    capacity,
    get size() {
      return size;
    },
    get dropped() {
      return dropped;
    },

    record(endpoint, method, status, ms, bytes, keyId, message = '') {
      if (size === capacity) {
        dropped += 1;
        return;
      }
      endpoints[size] = endpoint;
      methods[size] = method;
      keyIds[size] = keyId;
      messages[size] = message;
      statuses[size] = status;
      durationsMs[size] = ms;
      lengths[size] = bytes;
      times[size] = now();
      size += 1;
    },

    drain(take) {
      const recorded = size;
      // Before anything else: what is handed over twice would be counted twice.
      size = 0;
      for (let slot = 0; slot < recorded; slot++) {
        take({
          endpoint: endpoints[slot] ?? '',
          method: methods[slot] ?? '',
          status: statuses[slot] ?? 0,
          ms: durationsMs[slot] ?? 0,
          bytes: lengths[slot] ?? 0,
          keyId: keyIds[slot] ?? null,
          message: messages[slot] ?? '',
          at: times[slot] ?? 0,
        });
      }
    },
  };
}
