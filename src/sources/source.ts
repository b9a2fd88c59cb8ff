import type { Observable } from 'rxjs';
import type { AccountId, EventRecord, Fact, SourceName } from '../../streams/internal.ts';

/** What a source may look up in the log, so that no source keeps a cursor of its own. */
export interface SourceLookups {
  /** The newest post of the account, by id; undefined before the first one. */
  newestPostId(account: AccountId): string | undefined;
  /** Posts not yet found gone and created after `sinceMs` (UTC ms), newest first. */
  livePosts(
    account: AccountId,
    sinceMs: number,
  ): readonly { readonly id: string; readonly createdAt: number }[];
  /** Whether the post with this id, the first of its edits, is known, gone or not. */
  hasPost(id: string): boolean;
  /** From when on the account's posts are known without a hole; undefined before the history was read. */
  coveredFrom(account: AccountId): number | undefined;
  /** Every event known, in any phase. */
  events(): readonly EventRecord[];
  event(eventId: number): EventRecord | undefined;
}

export interface SourceContext {
  /** UTC ms. */
  readonly now: () => number;
  readonly lookups: SourceLookups;
  /**
   * Hands facts over; resolves once they are durable and visible in `lookups`. An empty list means a good
   * answer with nothing new. Both move the source's watermark. Await it before the next request.
   */
  readonly deliver: (facts: readonly Fact[]) => Promise<void>;
  /** Counts and tells the operator what was refused, a whole payload or one element of it: which one, and its fault. */
  readonly refused: (reason: string) => void;
}

/** A supervised reader of one part of the outside world. */
export interface Source {
  readonly name: SourceName;
  /** No delivery for this long while running means the source hangs, even if its socket is open: it is restarted. */
  readonly silentAfterMs: number;
  /** Runs until unsubscribed. A SourceError restarts it under supervision; any other error is a bug. */
  readonly run: (context: SourceContext) => Observable<never>;
}

/** `waiting` after a failure, `open` after many in a row; both are tried again by themselves. */
export type SourceState = 'running' | 'waiting' | 'open' | 'stopped';

/** The present condition of a supervised source. */
export interface SourceStatus {
  readonly name: SourceName;
  readonly state: SourceState;
  readonly restarts: number;
  /** Payloads, and single elements of them, that were refused. */
  readonly refused: number;
  readonly lastError: string | null;
}
