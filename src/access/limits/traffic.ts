import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '../../../streams/internal.ts';

/** What one caller was served lately. */
export interface TrafficAccount {
  /** Bytes served and not yet made up for by time, at `atMs`. */
  used: number;
  atMs: number;
}

/**
 * A share of the service for each caller, for what no hourly limit counts: documents, pages, errors. Everything counts,
 * by its bytes. What was used comes back evenly, a whole share in a minute. Times must not go back from call to call.
 */
export interface Traffic {
  /** `caller` is the id of a key or an address. */
  accountOf(caller: string): TrafficAccount;
  /** Counts a request. Returns 0, or the ms to wait when the share is used up. */
  request(account: TrafficAccount, nowMs: number): number;
  /** Counts the body of an answer. */
  served(account: TrafficAccount, bytes: number): void;
}

/** What a request costs beside the body of its answer, as even an empty answer takes time. */
const REQUEST_BYTES = 4_096;

/** Whoever goes on asking while refused waits no longer than this, from the last request on. */
const LONGEST_WAIT_MS = 10_000;

/** With more callers the one that was silent longest is forgotten. */
const MAX_CALLERS = 50_000;

export function createTraffic(bytesPerMinute: number): Traffic {
  const accounts = new LRUCache<string, TrafficAccount>({ max: MAX_CALLERS });
  const bytesPerMs = bytesPerMinute / MINUTE_MS;
  const mostUsed = bytesPerMinute + LONGEST_WAIT_MS * bytesPerMs;
  return {
    accountOf(caller) {
      let account = accounts.get(caller);
      if (account === undefined) {
        account = { used: 0, atMs: 0 };
        accounts.set(caller, account);
      }
      return account;
    },
    request(account, nowMs) {
      const used = Math.max(0, account.used - (nowMs - account.atMs) * bytesPerMs);
      account.atMs = nowMs;
      account.used = Math.min(used + REQUEST_BYTES, mostUsed);
      return used < bytesPerMinute ? 0 : Math.ceil((account.used - bytesPerMinute) / bytesPerMs) + 1;
    },
    served(account, bytes) {
      account.used = Math.min(account.used + bytes, mostUsed);
    },
  };
}
