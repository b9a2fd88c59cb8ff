import { MINUTE_MS } from '../../../streams/internal.ts';
import { RequestError } from '../../errors.ts';

export interface FeedLimits {
  readonly connections: number;
  readonly perAddress: number;
  readonly perKey: number;
  /** New ones a minute from one address. */
  readonly connectsPerMinute: number;
}

export const FEED_LIMITS: FeedLimits = {
  connections: 12_000,
  perAddress: 20,
  perKey: 5,
  connectsPerMinute: 60,
};

/** Counts who is connected. */
export interface Admission {
  readonly connections: number;
  /** Lets an address in, or throws a RequestError. */
  enter(address: string): void;
  /** To be called once for each that was let in. */
  leave(address: string): void;
  /** Whether one more may come with this key; if so it is counted. */
  useKey(keyId: string): boolean;
  /** To be called once for each that was counted. */
  leaveKey(keyId: string): void;
}

/** `now` is in ms and never goes back. */
export function createAdmission(limits: FeedLimits, now: () => number): Admission {
  let connections = 0;
  const byAddress = new Map<string, number>();
  const byKey = new Map<string, number>();
  let connects = new Map<string, number>();
  let minute = 0;

  function add(counts: Map<string, number>, name: string): void {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }

  function subtract(counts: Map<string, number>, name: string): void {
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
    const count = (connects.get(address) ?? 0) + 1;
    connects.set(address, count);
    return count;
  }

  return {
    get connections() {
      return connections;
    },
    enter(address) {
      if (connections >= limits.connections) {
        throw new RequestError(503, 'feed_full', 'All connections to the feed are taken', retryAfter(30));
      }
      if (countConnect(address) > limits.connectsPerMinute) {
        throw tooMany('This address connects to the feed too often', 60);
      }
      if ((byAddress.get(address) ?? 0) >= limits.perAddress) {
        throw tooMany(`This address holds ${limits.perAddress} connections to the feed already`, 10);
      }
      connections += 1;
      add(byAddress, address);
    },
    leave(address) {
      connections -= 1;
      subtract(byAddress, address);
    },
    useKey(keyId) {
      if ((byKey.get(keyId) ?? 0) >= limits.perKey) return false;
      add(byKey, keyId);
      return true;
    },
    leaveKey: (keyId) => subtract(byKey, keyId),
  };
}

function retryAfter(seconds: number) {
  return { 'Retry-After': String(seconds) };
}

export function tooMany(message: string, seconds: number): RequestError {
  return new RequestError(429, 'too_many_feeds', message, retryAfter(seconds), { retry_after: seconds });
}
