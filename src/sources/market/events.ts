import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { defer } from 'rxjs';
import { DAY_MS, type EventFact, type EventRecord, type PricesFact } from '../../../streams/internal.ts';
import { cryptoSlugs } from '../crypto/crypto-slugs.ts';
import type { Endpoints } from '../endpoints.ts';
import { pollInTurn } from '../poll-in-turn.ts';
import { isNotFound, readEach } from '../read-payload.ts';
import type { SourceSettings } from '../settings.ts';
import type { Source, SourceContext } from '../source.ts';
import { readEvent } from './event-fact.ts';
import { eventLists, type Listing } from './event-list.ts';
import { subjectOf } from './event-subject.ts';
import type { ListedEvent } from './market-payload.ts';

/** Settlement takes a day or two; what ended earlier has been read before. */
const RECENT_MS = 3 * DAY_MS;
const REMEMBERED = 5_000;
const LOOKUPS_PER_POLL = 20;

/** The market's events of our accounts and symbols, and their prices until the books are followed. */
export function eventsSource(endpoints: Endpoints, settings: SourceSettings): Source {
  // Kept over restarts of the source, by event: what was delivered last, and what was refused before.
  const deliveredEvents = new LRUCache<number, string>({ max: REMEMBERED });
  const deliveredPrices = new LRUCache<number, string>({ max: REMEMBERED });
  const refusals = new LRUCache<number, string>({ max: REMEMBERED });

  async function deliver(events: readonly ListedEvent[], context: SourceContext) {
    const facts: (EventFact | PricesFact)[] = [];
    for (const event of events) {
      const subject = subjectOf(event, endpoints);
      if (subject === null) continue;
      const read = readEvent(event, subject);
      if ('refusal' in read) {
        if (refusals.peek(event.id) !== read.refusal) context.refused(read.refusal);
        refusals.set(event.id, read.refusal);
        continue;
      }
      const { fact, quotes } = read;
      const known = context.lookups.event(fact.eventId);
      const delivered = deliveredEvents.peek(fact.eventId);
      const isInLog =
        delivered === undefined
          ? known !== undefined && isSame(known, fact)
          : delivered === JSON.stringify(fact);
      if (!isInLog) facts.push(fact);
      // An active event's prices come from its books; a closed one's no longer matter.
      const isWanted = known === undefined || (known.phase !== 'active' && !fact.isClosed);
      if (isWanted && deliveredPrices.peek(fact.eventId) !== JSON.stringify(quotes)) {
        facts.push({ kind: 'prices', eventId: fact.eventId, quotes });
      }
    }
    await context.deliver(facts);
    for (const fact of facts) {
      if (fact.kind === 'event') deliveredEvents.set(fact.eventId, JSON.stringify(fact));
      else deliveredPrices.set(fact.eventId, JSON.stringify(fact.quotes));
    }
  }

  function run(context: SourceContext) {
    const lists = eventLists(endpoints, settings, context);
    let closedAfterMs = settings.historyDays * DAY_MS;
    let lookups = 0;

    async function readLists(listing: Omit<Listing, 'tagId'>, signal: AbortSignal): Promise<Set<number>> {
      const seen = new Set<number>();
      // Page by page, so that one refused page does not hold back the good ones before it.
      await readEach(endpoints.market.tagIds, async (tagId) => {
        for await (const events of lists.pages({ ...listing, tagId }, signal)) {
          for (const { id } of events) seen.add(id);
          await deliver(events, context);
        }
      });
      return seen;
    }

    async function readOpen(signal: AbortSignal) {
      const seen = await readLists({ isClosed: false }, signal);
      await context.deliver([{ kind: 'listing', subject: 'posts' }]);
      const missing = context.lookups
        .events()
        .filter((event) => !seen.has(event.eventId) && isAwaited(event, context));
      const start = missing.length > 0 ? (lookups * LOOKUPS_PER_POLL) % missing.length : 0;
      lookups += 1;
      const turn = [...missing.slice(start), ...missing.slice(0, start)].slice(0, LOOKUPS_PER_POLL);
      await readEach(turn, ({ slug }) => lookUp(slug, signal));
    }

    async function readClosed(signal: AbortSignal) {
      await readLists({ isClosed: true, endedAfter: context.now() - closedAfterMs }, signal);
      closedAfterMs = RECENT_MS;
    }

    async function readCrypto(signal: AbortSignal) {
      const known = new Set(context.lookups.events().map(({ slug }) => slug));
      const slugs = endpoints.crypto.symbols.flatMap((symbol) => cryptoSlugs(symbol, context.now()));
      await readEach(
        slugs.filter((slug) => !known.has(slug)),
        (slug) => lookUp(slug, signal),
      );
      await context.deliver([{ kind: 'listing', subject: 'crypto' }]);
    }

    async function lookUp(slug: string, signal: AbortSignal) {
      try {
        await deliver([await lists.bySlug(slug, signal)], context);
      } catch (error) {
        // A guessed slug that does not exist, or an event that was taken down.
        if (!isNotFound(error)) throw error;
      }
    }

    return pollInTurn(
      { periodMs: settings.eventsPeriodMs, read: readOpen },
      { periodMs: settings.closedEventsPeriodMs, read: readClosed },
      { periodMs: settings.cryptoEventsPeriodMs, read: readCrypto },
    );
  }

  return {
    name: 'events',
    silentAfterMs: 3 * settings.eventsPeriodMs + 3 * settings.slowTimeoutMs,
    run: (context) => defer(() => run(context)),
  };
}

/** More is expected from the market: the event is open, or has ended and is not settled. */
function isAwaited({ phase, endAt }: EventRecord, { now }: SourceContext): boolean {
  return phase === 'active' || (phase === 'ended' && endAt > now() - RECENT_MS);
}

/** Whether the log already holds the event as it is listed. A start taken from the oracle is not compared. */
function isSame(known: EventRecord, fact: EventFact): boolean {
  const { kind: _, startAt, isClosed, ...listed } = fact;
  const { phase, trackingId, isPartition: __, startAt: knownStartAt, ...logged } = known;
  return (
    isClosed === (phase === 'closed') &&
    (trackingId !== null || startAt === knownStartAt) &&
    isDeepStrictEqual(listed, logged)
  );
}
