import { SourceError } from '../../errors.ts';
import type { Endpoints } from '../endpoints.ts';
import { readPayload, refuse } from '../read-payload.ts';
import type { SourceSettings } from '../settings.ts';
import type { SourceContext } from '../source.ts';
import {
  type EventSketch,
  eventDocument,
  eventKeysetPage,
  eventList,
  eventSketch,
} from './market-payload.ts';

/** Small, since a page is decoded in one go on the thread that serves readers: an event has up to 66 markets of 3 KB. */
const PAGE_SIZE = 4;
const PAGE_BYTES = 8 * 1024 * 1024;
/** More than the settled events of hundreds of accounts in a hundred days. */
const MAX_PAGES = 10_000;
/** Statuses of a host that does not serve the newer list. */
const NOT_SERVED = [404, 410, 422];

export interface Listing {
  readonly tagId: number;
  readonly isClosed: boolean;
  /** Events that ended earlier are left out. UTC ms. */
  readonly endedAfter?: number | undefined;
}

/** An event as it was sent. Only its sketch is decoded, so that an odd event of others costs none of ours. */
export interface SentEvent {
  readonly sketch: EventSketch;
  readonly payload: unknown;
}

interface EventLists {
  pages(listing: Listing, signal: AbortSignal): AsyncIterable<readonly SentEvent[]>;
  bySlug(slug: string, signal: AbortSignal): Promise<SentEvent>;
}

/** The market's lists of events: the one that pages by cursor or, where it is not served, by offset. */
export function eventLists(
  endpoints: Endpoints,
  settings: SourceSettings,
  context: SourceContext,
): EventLists {
  const { baseUrl, pace } = endpoints.market;
  const headers = { 'user-agent': endpoints.userAgent };
  let hasCursors = true;

  const request = (signal: AbortSignal) => ({
    headers,
    signal,
    timeoutMs: settings.slowTimeoutMs,
    maxBytes: PAGE_BYTES,
    pace,
    isShared: true,
  });

  async function readPage(query: URLSearchParams, at: Place, signal: AbortSignal): Promise<Page> {
    if (hasCursors) {
      const asked = new URLSearchParams(query);
      if (at.cursor !== null) asked.set('after_cursor', at.cursor);
      try {
        const url = `${baseUrl}/events/keyset?${asked}`;
        const page = await readPayload(url, eventKeysetPage, request(signal), context);
        return {
          events: page.events,
          next: page.next_cursor === null ? null : { cursor: page.next_cursor, offset: 0 },
        };
      } catch (error) {
        const isServed = !(error instanceof SourceError && NOT_SERVED.includes(error.status ?? 0));
        if (isServed || at.cursor !== null) throw error;
        hasCursors = false;
      }
    }
    const asked = new URLSearchParams(query);
    asked.set('offset', String(at.offset));
    const events = await readPayload(`${baseUrl}/events?${asked}`, eventList, request(signal), context);
    const offset = at.offset + PAGE_SIZE;
    return { events, next: events.length < PAGE_SIZE ? null : { cursor: null, offset } };
  }

  return {
    async *pages({ tagId, isClosed, endedAfter }, signal) {
      const query = new URLSearchParams({
        tag_id: String(tagId),
        closed: String(isClosed),
        limit: String(PAGE_SIZE),
      });
      if (endedAfter !== undefined) query.set('end_date_min', new Date(endedAfter).toISOString());
      let place: Place | null = { cursor: null, offset: 0 };
      let named = 0;
      let nameless = 0;
      for (let page = 0; place !== null && page < MAX_PAGES; page++) {
        const { events, next }: Page = await readPage(query, place, signal);
        const sent = events.map((payload) => ({ sketch: eventSketch.parse(payload), payload }));
        for (const { sketch } of sent) {
          if (sketch.slug === null) nameless += 1;
          else named += 1;
        }
        yield sent;
        // A host that ignores the cursor would give the first page for ever.
        place = next?.cursor != null && next.cursor === place.cursor ? null : next;
      }
      // A few without a slug are of others. If all are, ours are among them and cannot be told apart.
      if (nameless > 0 && named === 0) refuse(`none of the ${nameless} events listed has a slug`, context);
    },
    async bySlug(slug, signal) {
      const payload = await readPayload(
        `${baseUrl}/events/slug/${encodeURIComponent(slug)}`,
        eventDocument,
        { ...request(signal), timeoutMs: settings.timeoutMs },
        context,
      );
      const sketch = eventSketch.parse(payload);
      // It is the one that was asked for, even if it cannot say so.
      return { sketch: { ...sketch, slug: sketch.slug ?? slug }, payload };
    },
  };
}

interface Place {
  readonly cursor: string | null;
  readonly offset: number;
}

interface Page {
  readonly events: readonly unknown[];
  readonly next: Place | null;
}
