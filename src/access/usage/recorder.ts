/** Records every request that was answered. Called where requests are answered, so it neither waits nor allocates. */
export interface UsageRecorder {
  /**
   * `endpoint` is the path of a route, or `unknown` when no route matched. `bytes` is the length of the body, without
   * the headers. `keyId` is the public id of a known key, or null. `message` is our own sentence about the error and
   * contains nothing that the caller sent.
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

export interface RecordedRequest {
  readonly endpoint: string;
  readonly method: string;
  readonly status: number;
  readonly ms: number;
  readonly bytes: number;
  readonly keyId: string | null;
  readonly message: string;
  readonly at: number;
}

/** Recorded requests that are in no sum yet. */
interface UsageBuffer extends UsageRecorder {
  readonly size: number;
  readonly capacity: number;
  /** Requests that found the buffer full and are in no figure. */
  readonly dropped: number;
  /** Passes all requests on, oldest first, and empties the buffer. */
  drain(take: (request: RecordedRequest) => void): void;
}

/** About two seconds of the most one process serves; 2 MB. */
const BUFFER_CAPACITY = 32_768;
/** A request has four texts and four numbers. */
const SLOT = 4;

/** `now` is UTC ms. */
export function createUsageBuffer(now: () => number, capacity = BUFFER_CAPACITY): UsageBuffer {
  // Filled once, so that a request writes into slots that exist. Two arrays of whole slots instead of one array per
  // column, as every column would be another place in memory to fetch.
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
      // Set first: a request that is passed on twice would be counted twice.
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
