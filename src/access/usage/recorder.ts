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
const BUFFER_CAPACITY = 32_768;
/** Texts of a request, and its numbers: four of each. */
const SLOT = 4;

/** `now` is UTC ms. */
export function createUsageBuffer(now: () => number, capacity = BUFFER_CAPACITY): UsageBuffer {
  // Filled once: a request writes into slots that are there already. Two arrays of whole slots and not one array per
  // column, as every column would be a place in memory of its own to be fetched.
  const texts = new Array<string | null>(capacity * SLOT).fill(null);
  const numbers = new Float64Array(capacity * SLOT);
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
      const slot = size * SLOT;
      texts[slot] = endpoint;
      texts[slot + 1] = method;
      texts[slot + 2] = keyId;
      texts[slot + 3] = message;
      numbers[slot] = status;
      numbers[slot + 1] = ms;
      numbers[slot + 2] = bytes;
      numbers[slot + 3] = now();
      size += 1;
    },

    drain(take) {
      const recorded = size;
      // Before anything else: what is handed over twice would be counted twice.
      size = 0;
      for (let slot = 0; slot < recorded * SLOT; slot += SLOT) {
        take({
          endpoint: texts[slot] ?? '',
          method: texts[slot + 1] ?? '',
          keyId: texts[slot + 2] ?? null,
          message: texts[slot + 3] ?? '',
          status: numbers[slot] ?? 0,
          ms: numbers[slot + 1] ?? 0,
          bytes: numbers[slot + 2] ?? 0,
          at: numbers[slot + 3] ?? 0,
        });
      }
    },
  };
}
