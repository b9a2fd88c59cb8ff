import { MINUTE_MS } from '../../../streams/internal.ts';
import { createHeld } from '../../access/limits/held.ts';
import { RequestError } from '../../errors.ts';

export interface FeedLimits {
  readonly connections: number;
  readonly perAddress: number;
  readonly perKey: number;
  /** New connections of one address in a minute. */
  readonly connectsPerMinute: number;
  /** Bytes of snapshots and missed frames for one caller in a minute. */
  readonly replayBytesPerMinute: number;
}

/** Counts connections, in all and by address and key. */
export interface ConnectionLimits {
  readonly connections: number;
  /**
   * Counts a connection of this address. Throws a RequestError when there are too many. Returns a function that has to be
   * called once when the connection has closed; connections of one address share it.
   */
  open(address: string): () => void;
  /** Counts a connection that uses this key; returns false when there are too many. */
  useKey(keyId: string): boolean;
  /** Has to be called once for each connection whose key was counted. */
  releaseKey(keyId: string): void;
}

/** `now` is in ms and never goes back. */
export function createConnectionLimits(
  limits: Omit<FeedLimits, 'replayBytesPerMinute'>,
  now: () => number,
): ConnectionLimits {
  const byAddress = createHeld();
  const byKey = createHeld();
  let connects = new Map<string, number>();
  let minute = 0;

  function countConnect(address: string): number {
    const thisMinute = Math.floor(now() / MINUTE_MS);
    if (thisMinute !== minute) {
      minute = thisMinute;
      connects = new Map();
    }
    const count = (connects.get(address) ?? 0) + 1;
    connects.set(address, count);
    return count;
  }

  return {
    get connections() {
      return byAddress.total;
    },
    open(address) {
      if (byAddress.total >= limits.connections) {
        throw new RequestError(503, 'feed_full', 'All connections to the feed are taken', retryAfter(30));
      }
      if (countConnect(address) > limits.connectsPerMinute) {
        throw tooManyFeeds('This address connects to the feed too often', 60);
      }
      if (byAddress.of(address) >= limits.perAddress) {
        throw tooManyFeeds(`This address holds ${limits.perAddress} connections to the feed already`, 10);
      }
      return byAddress.add(address);
    },
    useKey(keyId) {
      if (byKey.of(keyId) >= limits.perKey) return false;
      byKey.add(keyId);
      return true;
    },
    releaseKey: byKey.remove,
  };
}

/** The name of a caller with a key. No address has a space. */
export function keyCaller(keyId: string): string {
  return `key ${keyId}`;
}

function retryAfter(seconds: number) {
  return { 'Retry-After': String(seconds) };
}

export function tooManyFeeds(message: string, seconds: number): RequestError {
  return new RequestError(429, 'too_many_feeds', message, retryAfter(seconds), {
    retry_after: seconds,
    retry_after_ms: seconds * 1_000,
  });
}
