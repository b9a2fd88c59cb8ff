import {
  defer,
  exhaustMap,
  groupBy,
  ignoreElements,
  map,
  merge,
  mergeMap,
  type Observable,
  retry,
  scan,
  tap,
  timer,
} from 'rxjs';
import type { EventRecord } from '../../../streams/internal.ts';
import { SourceError } from '../../errors.ts';
import { backoffDelay } from '../../resilience/backoff.ts';
import type { Endpoints } from '../endpoints.ts';
import { pollInTurn, runOnce } from '../poll-in-turn.ts';
import { readList } from '../read-payload.ts';
import type { SourceSettings } from '../settings.ts';
import { createSilenceWatchdog } from '../silence-watchdog.ts';
import { frameJson } from '../socket.ts';
import type { FollowedValue, Source, SourceContext, SourceLookups } from '../source.ts';
import { assignToConnections } from './assign-connections.ts';
import { bookEvents, wireBook } from './book-payload.ts';
import { bookFrames } from './book-socket.ts';
import { createFollowedBooks, type FollowedBooks, PARTS_OF_ROUND } from './followed-books.ts';
import { listedPrices } from './listed-prices.ts';

const TOKENS_PER_CONNECTION = 400;
const TOKENS_PER_REQUEST = 100;
/** More losses than this within half a minute, of any connections, concern the host. */
const LOSSES_OF_CONNECTIONS = 2;
const LOSSES_WITHIN_MS = 30_000;
const CONNECT_BACKOFF = { firstMs: 250, longestMs: 1_000 };
/** While no price changes, an empty delivery after this many flushes shows that the source is alive. */
const FLUSHES_PER_SIGN_OF_LIFE = 4;

/** Best prices of the active events' Yes tokens, from the books' socket, corrected by snapshots. */
export function pricesSource(endpoints: Endpoints, settings: SourceSettings): Source {
  return {
    name: 'prices',
    silentAfterMs: settings.booksPeriodMs + settings.pricesSilentMs,
    usualMs: 2 * settings.booksPeriodMs,
    run: (context) => defer(() => follow(context, endpoints, settings)),
  };
}

// All of this is created anew on each start, so no book outlives the connection that kept it current.
function follow(context: SourceContext, endpoints: Endpoints, settings: SourceSettings): Observable<never> {
  const books = createFollowedBooks(context);
  const watchdog = createSilenceWatchdog(settings.pricesSilentMs, 'price data');
  // The buckets of an event may change, and each price is as old as what was last heard of its own token.
  const followedOf = rememberFollowed(context.lookups);
  context.follow(() => {
    const values: FollowedValue[] = [];
    for (const event of context.lookups.unsettledEvents()) {
      for (const value of followedOf(event)) values.push(value);
    }
    return values;
  });
  let eventIds: ReadonlyMap<string, number> = new Map();
  let connections: readonly ReadonlySet<string>[] = [];
  /** When connections were lost of late, by `mono`. */
  let lostAt: readonly number[] = [];
  /** By part of a round: flushes since the last delivery, and whether anything came since then. */
  const parts = Array.from({ length: PARTS_OF_ROUND }, () => ({ flushes: 0, hasNews: false }));
  let framesSinceSnapshot = 0;
  let snapshotsWithoutFrames = 0;

  function dataArrived() {
    for (const part of parts) part.hasNews = true;
    watchdog.dataArrived();
  }

  const frame$ = timer(0, settings.subscriptionsPeriodMs).pipe(
    map(() => {
      eventIds = activeTokens(context.lookups);
      books.follow(eventIds);
      // With nothing to follow there is nothing to be silent about.
      if (eventIds.size === 0) dataArrived();
      return new Set(eventIds.keys());
    }),
    scan(
      (groups: readonly ReadonlySet<string>[], wanted) =>
        assignToConnections(groups, wanted, TOKENS_PER_CONNECTION),
      [],
    ),
    tap((groups) => {
      connections = groups;
    }),
    mergeMap((groups) => groups.map((tokens, index) => ({ tokens, index }))),
    groupBy(({ index }) => index),
    mergeMap((group$) =>
      bookFrames(group$.pipe(map(({ tokens }) => tokens)), {
        url: endpoints.bookSocket.url,
        userAgent: endpoints.userAgent,
        timeoutMs: settings.timeoutMs,
        pingPeriodMs: settings.socketPingPeriodMs,
      }).pipe(retry({ delay: (error) => connectAgain(group$.key, error) })),
    ),
    tap((text) => {
      if (!applyFrame(text, books, context)) return;
      framesSinceSnapshot += 1;
      dataArrived();
    }),
  );

  /** One of several connections is made again by itself, so that its loss does not cost the books of all the others. */
  function connectAgain(index: number, error: unknown): Observable<unknown> {
    const isAlone = connections.filter(({ size }) => size > 0).length < 2;
    const mayWait = error instanceof SourceError && error.retryAfterMs === undefined;
    const at = context.mono();
    lostAt = [...lostAt.filter((before) => at - before < LOSSES_WITHIN_MS), at];
    if (isAlone || !mayWait || lostAt.length > LOSSES_OF_CONNECTIONS) throw error;
    books.lose(connections[index] ?? []);
    return timer(backoffDelay(CONNECT_BACKOFF, lostAt.length));
  }

  // Frames carry no numbers, so a lost one cannot be noticed. Snapshots repair the books.
  async function readSnapshots(signal: AbortSignal) {
    const tokens = [...eventIds.keys()];
    let corrections = 0;
    for (let start = 0; start < tokens.length; start += TOKENS_PER_REQUEST) {
      const batch = tokens.slice(start, start + TOKENS_PER_REQUEST);
      const snapshots = await readList(
        `${endpoints.book.baseUrl}/books`,
        wireBook,
        {
          method: 'POST',
          body: batch.map((token) => ({ token_id: token })),
          headers: { 'user-agent': endpoints.userAgent },
          timeoutMs: settings.timeoutMs,
          signal,
          pace: endpoints.book.pace,
        },
        context,
      ).catch((error: unknown) => {
        // While frames arrive a missing snapshot does no harm; without them no price would be known.
        if (!(error instanceof SourceError) || signal.aborted || framesSinceSnapshot === 0) throw error;
        return null;
      });
      if (snapshots === null) break;
      for (const book of snapshots) if (books.correct(book)) corrections += 1;
      books.answered(batch);
      dataArrived();
    }
    // One such snapshot may have overtaken a frame on its way; two in a row have not.
    snapshotsWithoutFrames = corrections > 0 && framesSinceSnapshot === 0 ? snapshotsWithoutFrames + 1 : 0;
    if (snapshotsWithoutFrames > 1) {
      throw new SourceError('SOURCE_SILENT', `${corrections} prices moved and the socket sent none of them`);
    }
    framesSinceSnapshot = 0;
  }

  let turn = 0;
  // In turn, whatever was left out while a delivery took long.
  async function flushNext() {
    const place = turn++ % PARTS_OF_ROUND;
    const part = parts[place];
    // Where nothing is followed, the first tells that the source is alive.
    if (part === undefined || (place > 0 && !books.has(place))) return;
    const facts = books.take(place);
    part.flushes += 1;
    if (facts.length === 0 && !(part.hasNews && part.flushes >= FLUSHES_PER_SIGN_OF_LIFE)) return;
    part.flushes = 0;
    part.hasNews = false;
    await context.deliver(facts, undefined, books.takeHeard(place));
  }
  const flushMs = settings.pricesFlushPeriodMs / PARTS_OF_ROUND;

  return merge(
    frame$,
    pollInTurn([{ periodMs: settings.booksPeriodMs, read: readSnapshots }]),
    // Prices that change while a delivery is under way wait in the books, the newest of each token.
    timer(flushMs, flushMs).pipe(exhaustMap(() => runOnce(flushNext))),
    watchdog.silence$,
  ).pipe(ignoreElements());
}

/** Whether the frame held data of a followed token. What cannot be read of it is counted as refused and skipped. */
function applyFrame(text: string | null, books: FollowedBooks, context: SourceContext): boolean {
  const json = frameJson(text);
  if (json === undefined) return false;
  const { events, reasons } =
    'reason' in json ? { events: [], reasons: [json.reason] } : bookEvents(json.value);
  for (const reason of reasons) context.refused(`a frame of the books: ${reason}`);
  let isOurs = false;
  for (const event of events) if (books.apply(event)) isOurs = true;
  return isOurs;
}

/** The Yes tokens of every active event that are still traded, with its id. */
function activeTokens(lookups: SourceLookups): ReadonlyMap<string, number> {
  const tokens = new Map<string, number>();
  for (const event of lookups.unsettledEvents()) {
    for (const token of tradedTokens(event)) tokens.set(token, event.eventId);
  }
  return tokens;
}

function tradedTokens({ phase, buckets }: EventRecord): readonly string[] {
  if (phase !== 'active') return [];
  return buckets.flatMap(({ yesToken, won }) => (won === null ? [yesToken] : []));
}

/** What is followed of an event. It is asked for several times a second, so it is made once for each of its records. */
function rememberFollowed(lookups: SourceLookups): (event: EventRecord) => readonly FollowedValue[] {
  const known = new WeakMap<EventRecord, readonly FollowedValue[]>();
  return (event) => {
    let values = known.get(event);
    if (values === undefined) {
      const name = String(event.eventId);
      const listed = listedPrices(event.eventId, event.buckets);
      values = tradedTokens(event).map((token) => ({
        value: token,
        name,
        isLogged: () => lookups.hasPrice(token),
        // Before an event opens, the list tells its prices.
        toldBefore: ['events', listed],
      }));
      known.set(event, values);
    }
    return values;
  };
}
