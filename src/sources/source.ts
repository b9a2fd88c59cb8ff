import type { Observable } from 'rxjs';
import type { AccountId, EventRecord, Fact, Post, SourceName } from '../../streams/internal.ts';
import type { PostsRequestKind } from './endpoints.ts';
import type { AnswerHeaders, HttpExchange } from './http-exchange.ts';

/** A post in the log. */
export type KnownPost = Pick<
  Post,
  'id' | 'createdAt' | 'isReply' | 'isCounted' | 'via' | 'oracleAt' | 'deletedAt'
>;

/** What a source may look up in the log, so that no source keeps a cursor of its own. */
export interface SourceLookups {
  /**
   * The id of the account's newest post that its timeline has shown, of those made before `beforeMs` (UTC ms) if given;
   * undefined without one.
   */
  newestOnTimeline(account: AccountId, beforeMs?: number): string | undefined;
  /** Posts not yet found gone and created after `sinceMs` (UTC ms), newest first. */
  livePosts(account: AccountId, sinceMs: number): readonly KnownPost[];
  /** The post with this id, the first of its edits, gone or not. */
  post(id: string): KnownPost | undefined;
  /** From when on the account's posts are known without a hole until now; undefined before the history was read. */
  coveredFrom(account: AccountId): number | undefined;
  /** From when on all that the account's timeline shows is known; undefined before it was read. */
  timelineFrom(account: AccountId): number | undefined;
  /** Every event known, in any phase. */
  events(): readonly EventRecord[];
  event(eventId: number): EventRecord | undefined;
  /** The events that are not closed, of one account, or of all that are followed and of prices: few, however many are known. */
  unsettledEvents(account?: AccountId): readonly EventRecord[];
  /** Whether the log has a price of this token. */
  hasPrice(token: string): boolean;
  /** Whether the last one is out of its book: before an event opens, listings tell prices. */
  hasBook(token: string): boolean;
  /** Whether the log has a total of this tracking, whatever event shows it. */
  hasTotal(account: AccountId, trackingId: string): boolean;
  /** Whether the log has what the page of the event counts. */
  hasUiCount(eventId: number): boolean;
  /** How many posts of an event's window are counted; null while they are not all known. */
  realCount(eventId: number): number | null;
  /** How many posts the oracle counts in an event's window by its total, and how many of them the log has. */
  oracleCount(eventId: number): { readonly total: number; readonly known: number } | undefined;
}

/** Something that a source keeps up to date. */
export interface FollowedValue {
  readonly value: string;
  /** Under which its age is told, if not under its own name: of several values with one name the oldest counts. */
  readonly name?: string;
  /** Whether the log has an answer about it. */
  readonly isLogged?: () => boolean;
  /** Which value of another source has told it until now, where there is one. */
  readonly toldBefore?: readonly [source: SourceName, value: string];
}

/** What a request to the posts API cost. */
export interface ApiUse {
  readonly request: PostsRequestKind;
  /** Posts in the answer, those that others refer to included: each may be billed. */
  readonly reads: number;
  /** What is left until the limit is reset; null when the answer does not say. */
  readonly quota: { readonly limit: number; readonly remaining: number } | null;
}

export interface SourceContext {
  /** UTC ms. */
  readonly now: () => number;
  /** Ms on a clock that never goes back. */
  readonly mono: () => number;
  readonly lookups: SourceLookups;
  /**
   * The values that the source keeps up to date from now on, each as old as its own last answer. They are asked for
   * whenever ages are told, and may change with what is in `lookups`.
   */
  readonly follow: (values: () => readonly FollowedValue[]) => void;
  /**
   * Hands facts over; resolves once they are durable and visible in `lookups`. An empty list means a good
   * answer with nothing new. Both move the source's watermark to `knownAt`: the instant up to which the answer shows the
   * outside world, the present unless given, null when the answer does not tell. `values` says when followed values were
   * answered, by `mono`: the others grow older. Await it before the next request.
   */
  readonly deliver: (
    facts: readonly Fact[],
    knownAt?: number | null,
    values?: Readonly<Record<string, number>>,
  ) => Promise<void>;
  /** Counts and tells the operator what was refused, a whole payload or one element of it: which one, and its fault. */
  readonly refused: (reason: string) => void;
  /** Counts what a request to the posts API cost. */
  readonly used: (use: ApiUse) => void;
  /** Called with the headers of every answer, which tell the time of the host. */
  readonly onHeaders?: ((url: string, headers: AnswerHeaders) => void) | undefined;
  /** What the source asks with; the `fetch` of the process unless given. */
  readonly fetch?: HttpExchange | undefined;
}

/** A supervised reader of one part of the outside world. */
export interface Source {
  readonly name: SourceName;
  /** No delivery for this long while running means the source hangs, even if its socket is open: it is restarted. */
  readonly silentAfterMs: number;
  /** Within this time every followed value is answered again, unless something is wrong with it. */
  readonly usualMs?: number;
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
  /** When something was last refused, UTC ms; null if nothing was. */
  readonly refusedAt: number | null;
  readonly lastError: string | null;
}
