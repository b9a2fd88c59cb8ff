import {
  defer,
  exhaustMap,
  groupBy,
  ignoreElements,
  map,
  merge,
  mergeMap,
  type Observable,
  scan,
  tap,
  timer,
} from 'rxjs';
import { SourceError } from '../../errors.ts';
import { readDecoded } from '../decode.ts';
import type { Endpoints } from '../endpoints.ts';
import { once, pollInTurn } from '../poll.ts';
import type { SourceSettings } from '../settings.ts';
import { createSilenceWatchdog } from '../silence-watchdog.ts';
import { frameJson } from '../socket.ts';
import type { Source, SourceContext, SourceLookups } from '../source.ts';
import { bookEvents, wireBooks } from './book-payload.ts';
import { bookFrames } from './book-socket.ts';
import { createPriceBoard, type PriceBoard } from './price-board.ts';
import { assignShards } from './shards.ts';

const TOKENS_PER_CONNECTION = 400;
const TOKENS_PER_REQUEST = 100;
/** Without a changed price, life is shown every so many flushes. */
const FLUSHES_PER_SIGN = 4;

/** Best prices of the active events' Yes tokens, from the books' socket, set right by snapshots. */
export function pricesSource(endpoints: Endpoints, settings: SourceSettings): Source {
  return {
    name: 'prices',
    silentAfterMs: settings.booksPeriodMs + settings.pricesSilentMs,
    run: (context) => defer(() => follow(context, endpoints, settings)),
  };
}

// Everything here is made anew on each start, so no book outlives the connection that kept it true.
function follow(context: SourceContext, endpoints: Endpoints, settings: SourceSettings): Observable<never> {
  const board = createPriceBoard();
  const vigil = createSilenceWatchdog(settings.pricesSilentMs, 'price data');
  let eventIds: ReadonlyMap<string, number> = new Map();
  let hasNews = false;
  let framesSinceSnapshot = 0;
  let muteSnapshots = 0;

  function hear() {
    hasNews = true;
    vigil.heard();
  }

  const frame$ = timer(0, settings.subscriptionsPeriodMs).pipe(
    map(() => {
      eventIds = activeTokens(context.lookups);
      board.follow(eventIds);
      // With nothing to follow there is nothing to be silent about.
      if (eventIds.size === 0) hear();
      return new Set(eventIds.keys());
    }),
    scan(
      (shards: readonly ReadonlySet<string>[], wanted) => assignShards(shards, wanted, TOKENS_PER_CONNECTION),
      [],
    ),
    mergeMap((shards) => shards.map((tokens, index) => ({ tokens, index }))),
    groupBy(({ index }) => index),
    mergeMap((shard$) =>
      bookFrames(shard$.pipe(map(({ tokens }) => tokens)), {
        url: endpoints.bookSocket.url,
        userAgent: endpoints.userAgent,
        timeoutMs: settings.timeoutMs,
        pingPeriodMs: settings.socketPingPeriodMs,
      }),
    ),
    tap((text) => {
      if (!applyFrame(text, board, context)) return;
      framesSinceSnapshot += 1;
      hear();
    }),
  );

  // A hole in the frames cannot be seen in them: they carry no numbers. Snapshots close it.
  async function readSnapshots(signal: AbortSignal) {
    const tokens = [...eventIds.keys()];
    let corrections = 0;
    for (let start = 0; start < tokens.length; start += TOKENS_PER_REQUEST) {
      const batch = tokens.slice(start, start + TOKENS_PER_REQUEST);
      const books = await readDecoded(
        `${endpoints.book.baseUrl}/books`,
        wireBooks,
        {
          method: 'POST',
          body: batch.map((token) => ({ token_id: token })),
          headers: { 'user-agent': endpoints.userAgent },
          timeoutMs: settings.timeoutMs,
          signal,
        },
        context,
      ).catch((error: unknown) => {
        // While frames come a missing snapshot is no trouble; without them nothing tells the price.
        if (!(error instanceof SourceError) || signal.aborted || framesSinceSnapshot === 0) throw error;
        return null;
      });
      if (books === null) break;
      for (const book of books) if (board.heal(book)) corrections += 1;
      hear();
    }
    // One such snapshot may have overtaken a frame on its way; two in a row have not.
    muteSnapshots = corrections > 0 && framesSinceSnapshot === 0 ? muteSnapshots + 1 : 0;
    if (muteSnapshots > 1) {
      throw new SourceError('SOURCE_SILENT', `${corrections} prices moved and the socket told none of it`);
    }
    framesSinceSnapshot = 0;
  }

  let flushes = 0;
  async function flush() {
    const facts = board.take();
    flushes += 1;
    if (facts.length === 0 && !(hasNews && flushes >= FLUSHES_PER_SIGN)) return;
    flushes = 0;
    hasNews = false;
    await context.deliver(facts);
  }

  return merge(
    frame$,
    pollInTurn({ periodMs: settings.booksPeriodMs, read: readSnapshots }),
    // Prices that change while a delivery is under way wait on the board, the newest of each token.
    timer(settings.pricesFlushPeriodMs, settings.pricesFlushPeriodMs).pipe(exhaustMap(() => once(flush))),
    vigil.silence$,
  ).pipe(ignoreElements());
}

/** Whether the frame told something about a token that is followed. A bad frame is counted and left. */
function applyFrame(text: string | null, board: PriceBoard, context: SourceContext): boolean {
  const json = frameJson(text);
  if (json === undefined) return false;
  const events = json === null ? { reason: 'neither JSON nor a word' } : bookEvents(json.value);
  if ('reason' in events) {
    context.refused(`a frame of the books: ${events.reason}`);
    return false;
  }
  let isOurs = false;
  for (const event of events.value) if (board.apply(event)) isOurs = true;
  return isOurs;
}

/** The Yes tokens of every active event, with its id. */
function activeTokens(lookups: SourceLookups): ReadonlyMap<string, number> {
  const tokens = new Map<string, number>();
  for (const { phase, eventId, buckets } of lookups.events()) {
    if (phase !== 'active') continue;
    for (const { yesToken } of buckets) tokens.set(yesToken, eventId);
  }
  return tokens;
}
