import { MINUTE_MS } from '../../../streams/internal.ts';
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
  /** Counts a connection of this address. Throws a RequestError when there are too many. */
  open(address: string): void;
  /** Has to be called once for each connection that was opened. */
  close(address: string): void;
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
  let connections = 0;
  const byAddress = new Map<string, number>();
  const byKey = new Map<string, number>();
  let connects = new Map<string, number>();
  let minute = 0;

  function increment(counts: Map<string, number>, name: string): number {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count;
  }

  function decrement(counts: Map<string, number>, name: string): void {
    const left = (counts.get(name) ?? 1) - 1;
    if (left === 0) counts.delete(name);
    else counts.set(name, left);
  }

  function countConnect(address: string): number {
    const thisMinute = Math.floor(now() / MINUTE_MS);
    if (thisMinute !== minute) {
      minute = thisMinute;
      connects = new Map();
    }
    return increment(connects, address);
  }

  return {
    get connections() {
      return connections;
    },
    open(address) {
      if (connections >= limits.connections) {
        throw new RequestError(503, 'feed_full', 'All connections to the feed are taken', retryAfter(30));
      }
      if (countConnect(address) > limits.connectsPerMinute) {
        throw tooManyFeeds('This address connects to the feed too often', 60);
      }
      if ((byAddress.get(address) ?? 0) >= limits.perAddress) {
        throw tooManyFeeds(`This address holds ${limits.perAddress} connections to the feed already`, 10);
      }
      connections += 1;
      increment(byAddress, address);
    },
    close(address) {
      connections -= 1;
      decrement(byAddress, address);
    },
    useKey(keyId) {
      if ((byKey.get(keyId) ?? 0) >= limits.perKey) return false;
      increment(byKey, keyId);
      return true;
    },
    releaseKey: (keyId) => decrement(byKey, keyId),
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
