import { SourceError } from '../../errors.ts';
import type { Endpoints } from '../endpoints.ts';
import { readPayload } from '../read-payload.ts';
import type { SourceSettings } from '../settings.ts';
import type { SourceContext } from '../source.ts';
import { eventKeysetPage, eventList, type ListedEvent, listedEvent } from './market-payload.ts';

/** Small, since a page is decoded in one go on the thread that serves readers: an event has up to 66 markets of 3 KB. */
const PAGE_SIZE = 4;
const PAGE_BYTES = 8 * 1024 * 1024;
const MAX_PAGES = 500;
/** Statuses of a host that does not serve the newer list. */
const NOT_SERVED = [404, 410, 422];

export interface Listing {
  readonly tagId: number;
  readonly isClosed: boolean;
  /** Events that ended earlier are left out. UTC ms. */
  readonly endedAfter?: number | undefined;
}

interface EventLists {
  pages(listing: Listing, signal: AbortSignal): AsyncIterable<readonly ListedEvent[]>;
  bySlug(slug: string, signal: AbortSignal): Promise<ListedEvent>;
}

/** The market's lists of events: the one that pages by cursor or, where it is not served, by offset. */
export function eventLists(
  endpoints: Endpoints,
  settings: SourceSettings,
  context: SourceContext,
): EventLists {
  const { baseUrl } = endpoints.market;
  const headers = { 'user-agent': endpoints.userAgent };
  let hasCursors = true;

  const request = (signal: AbortSignal) => ({
    headers,
    signal,
    timeoutMs: settings.slowTimeoutMs,
    maxBytes: PAGE_BYTES,
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
      for (let page = 0; place !== null && page < MAX_PAGES; page++) {
        const { events, next }: Page = await readPage(query, place, signal);
        yield events;
        // A host that ignores the cursor would give the first page for ever.
        place = next?.cursor != null && next.cursor === place.cursor ? null : next;
      }
    },
    bySlug: (slug, signal) =>
      readPayload(
        `${baseUrl}/events/slug/${encodeURIComponent(slug)}`,
        listedEvent,
        { ...request(signal), timeoutMs: settings.timeoutMs },
        context,
      ),
  };
}

interface Place {
  readonly cursor: string | null;
  readonly offset: number;
}

interface Page {
  readonly events: readonly ListedEvent[];
  readonly next: Place | null;
}
