import { isDeepStrictEqual } from 'node:util';
import { defer, merge } from 'rxjs';
import {
  DAY_MS,
  type EventFact,
  type EventRecord,
  type ListingFact,
  type PastPricesFact,
  type PricesFact,
  type VolumesFact,
} from '../../../streams/internal.ts';
import { digestOf } from '../../resilience/digest.ts';
import { remembered } from '../../resilience/remembered.ts';
import { createAbsentSlugs } from '../crypto/absent-slugs.ts';
import { cryptoSlugs } from '../crypto/crypto-slugs.ts';
import type { Endpoints } from '../endpoints.ts';
import { createParts } from '../parts.ts';
import { pollDespiteRefusals, pollInTurn } from '../poll-in-turn.ts';
import { isNotFound, readEach } from '../read-payload.ts';
import type { SourceSettings } from '../settings.ts';
import type { Source, SourceContext } from '../source.ts';
import { tellOnce } from '../tell-once.ts';
import { readEvent } from './event-fact.ts';
import { eventLists, type Listing, type SentEvent } from './event-list.ts';
import { createSubjects } from './event-subject.ts';
import { listedPrices } from './listed-prices.ts';
import { readPastPrices } from './past-prices.ts';

/** Settlement takes a day or two; what ended earlier has been read before. */
const RECENT_MS = 3 * DAY_MS;
const REMEMBERED = 5_000;
const LOOKUPS_PER_POLL = 20;
/** Volumes change with every trade and are kept by the minute, so that more of them are of no use. */
const VOLUMES_EVERY_MS = 50_000;
/** Of a foreign text in a message. */
const SHOWN = 80;

type NewFact = EventFact | PricesFact | PastPricesFact | VolumesFact;
type ReadEvent = Extract<ReturnType<typeof readEvent>, { readonly fact: EventFact }>;

/** The market's events of our accounts and symbols, and their prices until the books are followed. */
export function eventsSource(endpoints: Endpoints, settings: SourceSettings): Source {
  // Kept over restarts of the source, by event: the digest of what was delivered last, and what was refused before.
  const deliveredEvents = remembered<number, string>(REMEMBERED);
  const deliveredPrices = remembered<number, string>(REMEMBERED);
  const deliveredVolumes = remembered<number, { readonly digest: string; readonly at: number }>(REMEMBERED);
  const faults = tellOnce(REMEMBERED);
  /** Settled events whose past prices are still to be read, by id. Kept over restarts of the source too. */
  const settled = new Map<number, ReadEvent>();
  const subjectOf = createSubjects(endpoints);
  const absentSlugs = createAbsentSlugs();
  const partsIn = createParts();
  /** When the settled events were last read to the end, UTC ms. */
  let settledReadAt: number | undefined;

  /** What is read of an event of ours; null for one of others, and for one that is refused, which is told. */
  function readOurs({ sketch, payload }: SentEvent, context: SourceContext) {
    const subject = subjectOf(sketch);
    if (subject === null) return null;
    const name = sketch.id ?? sketch.slug?.slice(0, SHOWN) ?? 'without id and slug';
    const read = readEvent(payload, subject);
    const fault = 'refusal' in read ? read.refusal : read.unclear;
    faults.tell(name, fault === null ? null : `event ${name} ${fault}`, context);
    return 'refusal' in read ? null : read;
  }

  async function deliver(events: readonly SentEvent[], context: SourceContext) {
    const facts: NewFact[] = [];
    /** When prices were heard that are delivered where they have changed, by `mono`. */
    const heard: Record<string, number> = {};
    for (const event of events) {
      const read = readOurs(event, context);
      if (read === null) continue;
      const { eventId, buckets } = read.fact;
      if (isPriced(read, context)) heard[listedPrices(eventId, buckets)] = context.mono();
      // Its books tell others, so that the same in the list are new afterwards.
      else deliveredPrices.delete(eventId);
      if (isSettling(read, context)) settled.set(read.fact.eventId, read);
      else {
        // It may be open again.
        settled.delete(read.fact.eventId);
        facts.push(...newIn(read, context));
      }
    }
    await log(facts, context, heard);
  }

  /** Whether the list tells an event's prices: those of an active one come from its books, and a closed one has none that matter. */
  function isPriced({ fact }: ReadEvent, context: SourceContext): boolean {
    const known = context.lookups.event(fact.eventId);
    return known === undefined || (known.phase !== 'active' && !fact.isClosed);
  }

  /** Takes a request or more for each event, which the lists do not wait for. */
  async function deliverSettled(context: SourceContext, signal: AbortSignal) {
    for (const [eventId, { fact }] of settled) {
      const past = await readPastPrices(fact, endpoints, settings, context, signal);
      const listed = settled.get(eventId);
      if (listed === undefined) continue;
      // In one delivery, so that no forecast of its past is made without them.
      if (isSettling(listed, context)) await log([...newIn(listed, context), ...past], context);
      settled.delete(eventId);
    }
  }

  /** Whether an event of ours is told to be over for the first time. */
  function isSettling({ fact }: ReadEvent, context: SourceContext): boolean {
    const isOver = fact.isClosed && context.lookups.event(fact.eventId)?.phase !== 'closed';
    return isOver && fact.subject.type === 'posts' && !isInLog(fact, context);
  }

  function isInLog(fact: EventFact, context: SourceContext): boolean {
    const known = context.lookups.event(fact.eventId);
    if (isLost(known, fact, context)) return false;
    const delivered = deliveredEvents.peek(fact.eventId);
    if (delivered !== undefined) return delivered === digestOf(fact);
    return known !== undefined && isSame(known, fact);
  }

  function newVolumes({ fact, volumes }: ReadEvent, context: SourceContext): readonly VolumesFact[] {
    if (fact.isClosed || fact.subject.type !== 'posts' || volumes.every((volume) => volume === null))
      return [];
    const delivered = deliveredVolumes.peek(fact.eventId);
    const isRecent = delivered !== undefined && context.mono() < delivered.at + VOLUMES_EVERY_MS;
    if (isRecent || delivered?.digest === digestOf(volumes)) return [];
    return [{ kind: 'volumes', eventId: fact.eventId, volumes }];
  }

  function newIn(read: ReadEvent, context: SourceContext): readonly NewFact[] {
    const { fact, quotes } = read;
    const areNew = isPriced(read, context) && deliveredPrices.peek(fact.eventId) !== digestOf(quotes);
    return [
      ...(isInLog(fact, context) ? [] : [fact]),
      ...(areNew ? [{ kind: 'prices', eventId: fact.eventId, quotes } as const] : []),
      ...newVolumes(read, context),
    ];
  }

  async function log(
    facts: readonly NewFact[],
    context: SourceContext,
    heard: Readonly<Record<string, number>> = {},
  ) {
    await context.deliver(facts, undefined, heard);
    for (const fact of facts) {
      if (fact.kind === 'event') deliveredEvents.set(fact.eventId, digestOf(fact));
      else if (fact.kind === 'prices') deliveredPrices.set(fact.eventId, digestOf(fact.quotes));
      else if (fact.kind === 'volumes')
        deliveredVolumes.set(fact.eventId, { digest: digestOf(fact.volumes), at: context.mono() });
    }
  }

  function run(context: SourceContext) {
    const lists = eventLists(endpoints, settings, context);
    const parts = partsIn(context);
    let lookups = 0;
    context.follow(() => [{ value: 'posts' }, { value: 'crypto' }]);

    const isListed = (subject: ListingFact['subject']) =>
      context.deliver([{ kind: 'listing', subject }], undefined, { [subject]: context.mono() });

    async function readLists(listing: Omit<Listing, 'tagId'>, signal: AbortSignal): Promise<Set<number>> {
      const seen = new Set<number>();
      // Page by page, so that one refused page does not hold back the good ones before it.
      await readEach(endpoints.market.tagIds, async (tagId) => {
        for await (const events of lists.pages({ ...listing, tagId }, signal)) {
          for (const { sketch } of events) if (sketch.id !== null) seen.add(sketch.id);
          await deliver(events, context);
        }
      });
      return seen;
    }

    async function readOpen(signal: AbortSignal) {
      const seen = await readLists({ isClosed: false }, signal);
      await isListed('posts');
      const missing = context.lookups
        .unsettledEvents()
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
        await deliver([await lists.bySlug(slug, signal)], context);
        return true;
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    }

    const partOf = (name: string, periodMs: number, read: (signal: AbortSignal) => Promise<void>) => ({
      periodMs,
      read: (signal: AbortSignal) => parts.readOne(name, () => read(signal), signal),
      againInMs: () => parts.leftOutMs(name),
    });
    return merge(
      pollDespiteRefusals([
        partOf('open', settings.eventsPeriodMs, readOpen),
        partOf('closed', settings.closedEventsPeriodMs, readClosed),
        partOf('crypto', settings.cryptoEventsPeriodMs, readCrypto),
      ]),
      pollInTurn([{ periodMs: settings.settledPeriodMs, read: (signal) => deliverSettled(context, signal) }]),
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
