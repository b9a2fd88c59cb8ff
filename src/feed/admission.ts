import { RequestError } from '../errors.ts';

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

const MINUTE_MS = 60_000;

/** Counts who is connected. */
export interface Admission {
  readonly connections: number;
  /** Lets an address in, or throws a RequestError. The function returned takes it out again. */
  enter(address: string): () => void;
  /** Whether one more may come with this key; if so it is counted, until the function is called. */
  useKey(keyId: string): (() => void) | undefined;
}

/** `now` is in ms and never goes back. */
export function createAdmission(limits: FeedLimits, now: () => number): Admission {
  let connections = 0;
  const held = new Map<string, number>();
  let connects = new Map<string, number>();
  let minute = 0;

  function take(name: string): () => void {
    held.set(name, (held.get(name) ?? 0) + 1);
    return () => {
      const left = (held.get(name) ?? 1) - 1;
      if (left === 0) held.delete(name);
      else held.set(name, left);
    };
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
      if ((held.get(`address ${address}`) ?? 0) >= limits.perAddress) {
        throw tooMany(`This address holds ${limits.perAddress} connections to the feed already`, 10);
      }
      connections += 1;
      const release = take(`address ${address}`);
      return () => {
        connections -= 1;
        release();
      };
    },
    useKey: (keyId) => ((held.get(`key ${keyId}`) ?? 0) >= limits.perKey ? undefined : take(`key ${keyId}`)),
  };
}

function retryAfter(seconds: number) {
  return { 'Retry-After': String(seconds) };
}

export function tooMany(message: string, seconds: number): RequestError {
  return new RequestError(429, 'too_many_feeds', message, retryAfter(seconds), { retry_after: seconds });
}
