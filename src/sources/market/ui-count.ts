import type { EventRecord } from '../../../streams/internal.ts';
import { remembered } from '../../resilience/remembered.ts';
import { activeEventsOf } from '../active-events.ts';
import type { AccountEndpoint, Endpoints } from '../endpoints.ts';
import { isPlausibleCount } from '../oracle/oracle-payload.ts';
import { createParts } from '../parts.ts';
import { pollInTurn } from '../poll-in-turn.ts';
import { decodePayload, isNotFound, readPayload } from '../read-payload.ts';
import type { SourceSettings } from '../settings.ts';
import type { FollowedValue, Source, SourceContext } from '../source.ts';
import { tellOnce } from '../tell-once.ts';
import { type ShownEvent, shownCount, shownEvent } from './market-payload.ts';

const REMEMBERED = 1_000;
/** Events that are active at a time, with room: each waits for a turn of its own. */
const TURNS_PER_ROUND = 8;

/** The count the trading page shows for each active event of an account. */
export function uiSource(account: AccountEndpoint, endpoints: Endpoints, settings: SourceSettings): Source {
  const delivered = remembered<number, string>(REMEMBERED);
  // Holds failed pages too: they are read again with the others and no sooner.
  const asked = remembered<number, true>(REMEMBERED);

  const faults = tellOnce(REMEMBERED);
  const partsIn = createParts();

  /** What the event's page shows. A page without a count of this event that can be read shows none. */
  async function readShown(
    event: EventRecord,
    context: SourceContext,
    signal: AbortSignal,
  ): Promise<number | null> {
    const { eventId, slug } = event;
    const url = `${endpoints.market.baseUrl}/events/slug/${encodeURIComponent(slug)}`;
    const request = {
      headers: { 'user-agent': endpoints.userAgent },
      signal,
      timeoutMs: settings.timeoutMs,
      pace: endpoints.market.pace,
    };
    const page = await readPayload(url, shownEvent, request, context).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
      return null;
    });
    const count = page === null ? { value: null } : countOf(page, event);
    const fault = 'reason' in count ? `event ${eventId} (${slug}) ${count.reason}` : null;
    faults.tell(eventId, fault, context);
    return 'value' in count ? count.value : null;
  }

  function readEvents(events: readonly EventRecord[], context: SourceContext, signal: AbortSignal) {
    async function read(event: EventRecord) {
      const { eventId } = event;
      asked.set(eventId, true);
      const count = await readShown(event, context, signal);
      const isNew = delivered.peek(eventId) !== String(count);
      const answered = { [eventId]: context.mono() };
      await context.deliver(isNew ? [{ kind: 'ui', eventId, count }] : [], undefined, answered);
      delivered.set(eventId, String(count));
    }
    return partsIn(context).readEach(events, { nameOf: ({ eventId }) => String(eventId), read }, signal);
  }

  let seen: ReadonlySet<number> = new Set();

  function activeEvents({ lookups }: SourceContext): readonly EventRecord[] {
    const active = activeEventsOf(account, lookups);
    const ids = new Set(active.map(({ eventId }) => eventId));
    // An event that the market closes and opens again is asked for again as soon as a new one.
    for (const eventId of seen) if (!ids.has(eventId)) asked.delete(eventId);
    seen = ids;
    return active;
  }

  function shownPages({ lookups }: SourceContext): readonly FollowedValue[] {
    return activeEventsOf(account, lookups).map(({ eventId }) => ({
      value: String(eventId),
      isLogged: () => lookups.hasUiCount(eventId),
    }));
  }

  async function readActive(context: SourceContext, signal: AbortSignal) {
    const active = activeEvents(context);
    if (active.length === 0) await context.deliver([]);
    await readEvents(active, context, signal);
  }

  // An event that has just become active would otherwise wait most of a period for its first count.
  async function readUnasked(context: SourceContext, signal: AbortSignal) {
    const unasked = activeEvents(context).filter(({ eventId }) => !asked.has(eventId));
    await readEvents(unasked, context, signal);
  }

  const turnMs = endpoints.market.pace?.roundMs ?? 0;
  return {
    name: `ui:${account.id}`,
    silentAfterMs: 6 * settings.uiPeriodMs + turnMs,
    usualMs: 2 * settings.uiPeriodMs + TURNS_PER_ROUND * turnMs,
    run(context) {
      context.follow(() => shownPages(context));
      return pollInTurn(
        [
          { periodMs: settings.uiPeriodMs, read: (signal) => readActive(context, signal) },
          { periodMs: settings.uiFirstPeriodMs, read: (signal) => readUnasked(context, signal) },
        ],
        settings.spread,
      );
    },
  };
}

/** The count that a page shows for this event, or why it is refused. */
function countOf({ id, tweetCount }: ShownEvent, { eventId, startAt, endAt }: EventRecord) {
  if (id !== eventId) return { reason: `has a page that is now of event ${id}` };
  const count = decodePayload(shownCount, tweetCount);
  const isPlausible =
    'reason' in count || startAt === null || isPlausibleCount(count.value ?? 0, { startAt, endAt });
  if (!isPlausible) return { reason: 'shows more posts than there can be' };
  return 'value' in count ? count : { reason: `shows a count that cannot be read: ${count.reason}` };
}
