import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { defer } from 'rxjs';
import {
  DAY_MS,
  type EventFact,
  type EventRecord,
  type ListingFact,
  type PastPricesFact,
  type PricesFact,
} from '../../../streams/internal.ts';
import { createAbsentSlugs } from '../crypto/absent-slugs.ts';
import { cryptoSlugs } from '../crypto/crypto-slugs.ts';
import type { Endpoints } from '../endpoints.ts';
import { createParts } from '../parts.ts';
import { pollDespiteRefusals } from '../poll-in-turn.ts';
import { isNotFound, readEach } from '../read-payload.ts';
import type { SourceSettings } from '../settings.ts';
import type { Source, SourceContext } from '../source.ts';
import { tellOnce } from '../tell-once.ts';
import { readEvent } from './event-fact.ts';
import { eventLists, type Listing, type SentEvent } from './event-list.ts';
import { subjectOf } from './event-subject.ts';
import { readPastPrices } from './past-prices.ts';

/** Settlement takes a day or two; what ended earlier has been read before. */
const RECENT_MS = 3 * DAY_MS;
const REMEMBERED = 5_000;
const LOOKUPS_PER_POLL = 20;
/** Of a foreign text in a message. */
const SHOWN = 80;

/** The market's events of our accounts and symbols, and their prices until the books are followed. */
export function eventsSource(endpoints: Endpoints, settings: SourceSettings): Source {
  // Kept over restarts of the source, by event: what was delivered last, and what was refused before.
  const deliveredEvents = new LRUCache<number, string>({ max: REMEMBERED });
  const deliveredPrices = new LRUCache<number, string>({ max: REMEMBERED });
  const faults = tellOnce(REMEMBERED);
  const absentSlugs = createAbsentSlugs();
  const partsIn = createParts();
  /** When the settled events were last read to the end, UTC ms. */
  let settledReadAt: number | undefined;

  /** What is read of an event of ours; null for one of others, and for one that is refused, which is told. */
  function readOurs({ sketch, payload }: SentEvent, context: SourceContext) {
    const subject = subjectOf(sketch, endpoints);
    if (subject === null) return null;
    const name = sketch.id ?? sketch.slug?.slice(0, SHOWN) ?? 'without id and slug';
    const read = readEvent(payload, subject);
    const fault = 'refusal' in read ? read.refusal : read.unclear;
    faults.tell(name, fault === null ? null : `event ${name} ${fault}`, context);
    return 'refusal' in read ? null : read;
  }

  async function deliver(events: readonly SentEvent[], context: SourceContext, signal: AbortSignal) {
    const facts: (EventFact | PricesFact | PastPricesFact)[] = [];
    for (const event of events) {
      const read = readOurs(event, context);
      if (read === null) continue;
      const { fact, quotes } = read;
      const known = context.lookups.event(fact.eventId);
      const delivered = deliveredEvents.peek(fact.eventId);
      const isInLog =
        !isLost(known, fact, context) &&
        (delivered === undefined
          ? known !== undefined && isSame(known, fact)
          : delivered === JSON.stringify(fact));
      if (!isInLog) facts.push(fact);
      // With the event itself, so that no forecast of its past is made without them.
      if (!isInLog && fact.isClosed && known?.phase !== 'closed')
        facts.push(...(await readPastPrices(fact, endpoints, settings, context, signal)));
      // An active event's prices come from its books; a closed one's no longer matter.
      const isWanted = known === undefined || (known.phase !== 'active' && !fact.isClosed);
      if (isWanted && deliveredPrices.peek(fact.eventId) !== JSON.stringify(quotes)) {
        facts.push({ kind: 'prices', eventId: fact.eventId, quotes });
      }
    }
    await context.deliver(facts);
    for (const fact of facts) {
      if (fact.kind === 'event') deliveredEvents.set(fact.eventId, JSON.stringify(fact));
      else if (fact.kind === 'prices') deliveredPrices.set(fact.eventId, JSON.stringify(fact.quotes));
    }
  }

  function run(context: SourceContext) {
    const lists = eventLists(endpoints, settings, context);
    const parts = partsIn(context);
    let lookups = 0;
    context.follow(['posts', 'crypto']);

    const isListed = (subject: ListingFact['subject']) =>
      context.deliver([{ kind: 'listing', subject }], undefined, { [subject]: context.mono() });

    async function readLists(listing: Omit<Listing, 'tagId'>, signal: AbortSignal): Promise<Set<number>> {
      const seen = new Set<number>();
      // Page by page, so that one refused page does not hold back the good ones before it.
      await readEach(endpoints.market.tagIds, async (tagId) => {
        for await (const events of lists.pages({ ...listing, tagId }, signal)) {
          for (const { sketch } of events) if (sketch.id !== null) seen.add(sketch.id);
          await deliver(events, context, signal);
        }
      });
      return seen;
    }

    async function readOpen(signal: AbortSignal) {
      const seen = await readLists({ isClosed: false }, signal);
      await isListed('posts');
      const missing = context.lookups
        .events()
        .filter((event) => !seen.has(event.eventId) && isAwaited(event, context));
      const start = missing.length > 0 ? (lookups * LOOKUPS_PER_POLL) % missing.length : 0;
      lookups += 1;
      const turn = [...missing.slice(start), ...missing.slice(0, start)].slice(0, LOOKUPS_PER_POLL);
      await readEach(turn, async ({ slug }) => {
        await lookUp(slug, signal);
      });
    }

    async function readClosed(signal: AbortSignal) {
      const now = context.now();
      const ageMs = now - (settledReadAt ?? Number.NEGATIVE_INFINITY);
      // The list is long: a source that fails and restarts each second must not read it each time.
      if (ageMs >= 0 && ageMs < settings.closedEventsPeriodMs / 2) return;
      const endedAfter =
        settledReadAt === undefined
          ? now - settings.historyDays * DAY_MS
          : Math.min(settledReadAt, now) - RECENT_MS;
      await readLists({ isClosed: true, endedAfter }, signal);
      settledReadAt = now;
    }

    async function readCrypto(signal: AbortSignal) {
      const known = new Set(context.lookups.events().map(({ slug }) => slug));
      const now = context.now();
      const guesses = endpoints.crypto.symbols
        .flatMap((symbol) => cryptoSlugs(symbol, now))
        .filter(({ slug }) => !known.has(slug));
      await readEach(absentSlugs.worthAsking(guesses, now), async (guess) => {
        if (!(await lookUp(guess.slug, signal))) absentSlugs.add(guess, now);
      });
      await isListed('crypto');
    }

    /** Whether the market has an event with this slug: a guess may be wrong, and an event may be taken down. */
    async function lookUp(slug: string, signal: AbortSignal): Promise<boolean> {
      try {
        await deliver([await lists.bySlug(slug, signal)], context, signal);
        return true;
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    }

    const partOf = (name: string, read: (signal: AbortSignal) => Promise<void>) => (signal: AbortSignal) =>
      parts.readOne(name, () => read(signal), signal);
    return pollDespiteRefusals(
      { periodMs: settings.eventsPeriodMs, read: partOf('open', readOpen) },
      { periodMs: settings.closedEventsPeriodMs, read: partOf('closed', readClosed) },
      { periodMs: settings.cryptoEventsPeriodMs, read: partOf('crypto', readCrypto) },
    );
  }

  return {
    name: 'events',
    silentAfterMs: 3 * settings.eventsPeriodMs + 3 * settings.slowTimeoutMs,
    usualMs: 2 * settings.cryptoEventsPeriodMs,
    run: (context) => defer(() => run(context)),
  };
}

/** More is expected from the market: the event is open, or has ended and is not settled. */
function isAwaited({ phase, endAt }: EventRecord, { now }: SourceContext): boolean {
  return phase === 'active' || (phase === 'ended' && endAt > now() - RECENT_MS);
}

/**
 * Whether the event was taken to be over before its end, as when the calendar was ahead for a while, and may have been
 * forgotten since. The market's word brings it back.
 */
function isLost(
  known: EventRecord | undefined,
  { isClosed, endAt }: EventFact,
  { now }: SourceContext,
): boolean {
  return known?.phase === 'ended' && !isClosed && now() < endAt;
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
