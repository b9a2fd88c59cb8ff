import * as z from 'zod';
import type { Store } from '../../src/store/store.ts';
import { parsedJson } from './parsed-json.ts';
import { createSentTexts } from './sent-texts.ts';
import type { Part } from './simulated-disk.ts';

/** The inputs of an event. */
export const INPUTS = ['posts', 'oracle', 'ui', 'prices'] as const;
export type Input = (typeof INPUTS)[number];

/** How an answer was asked for. */
export interface Asked {
  /** By which source of the engine. */
  readonly source: string;
  /** Virtual ms. */
  readonly askedAt: number;
}

interface DeliveredValues {
  /** Told what the disk keeps. */
  onKept(part: Part, method: string, args: readonly unknown[]): void;
  /** Told each answer that the engine has read. */
  onRead(url: URL, text: string, asked: Asked): void;
  /** Takes the bytes that the engine receives over one connection with the world. */
  receiver(): (bytes: Buffer) => void;
  /**
   * When the engine last heard of an input of an event, virtual ms, and of posts when it asked for what it heard; undefined
   * when it never has, knows no such event, or the event was not active a moment ago, or had other buckets: the next tick is
   * the first to tell its ages, and waits as long as the disk takes nothing.
   */
  heardAt(eventId: string, input: Input): number | undefined;
}

const outputs = z.array(z.object({ stream: z.string(), key: z.string(), record: z.unknown() }));
const observations = z.array(z.object({ fact: z.object({ kind: z.string() }) }));
const events = z.object({
  phase: z.string(),
  slug: z.string(),
  buckets: z.array(z.object({ yesToken: z.string() })),
});

type Buckets = readonly { readonly yesToken: string }[];

const WITH_BOOKS: readonly string[] = ['active', 'ended'];
const TOKEN = /"asset_id":"(\d+)"/g;
/** Both tokens of a market are in one text, the first of them that for Yes. */
const LISTED_TOKENS = /"clobTokenIds":"\[\\"(\d+)/g;

/** From when to when an event was active, with the tokens that it had then, and when a tick first told its ages. */
interface Activity {
  readonly at: number;
  /** Whether a tick was logged since. */
  readonly isTicked?: true;
  /** When the outputs of such a tick were kept. */
  readonly toldAt?: number;
  readonly overAt?: number;
  readonly tokens: string;
}

/** When the world has last delivered each value that records depend on, out of the text of what it sent. */
export function createDeliveredValues({
  now,
  kept,
  accounts,
  shownAfterMs,
}: {
  readonly now: () => number;
  /** From a tick that tells the ages of an event's own values until readers have it. */
  readonly shownAfterMs: () => number;
  readonly kept: Store;
  readonly accounts: readonly { readonly id: string; readonly userId: string }[];
}): DeliveredValues {
  const posts = new Map<string, number>();
  const totals = new Map<string, number>();
  const pages = new Map<string, number>();
  /** An event has several in turn where its window is moved to other days. */
  const eventOfSlug = new Map<string, string>();
  const tokens = new Map<string, number>();
  /** When the list of events last told the price of a token. */
  const listed = new Map<string, number>();
  const lastActive = new Map<string, Activity>();

  function noteEvent(key: string, record: unknown): void {
    const { phase, slug, buckets } = events.parse(record);
    eventOfSlug.set(slug, key);
    const tokens = tokensOf(buckets);
    const last = lastActive.get(key);
    if (phase !== 'active') {
      if (last !== undefined) lastActive.set(key, { overAt: now(), ...last });
    } else if (last === undefined || last.overAt !== undefined || last.tokens !== tokens) {
      lastActive.set(key, { at: now(), tokens });
    }
  }

  function change(ofActive: (last: Activity) => Activity): void {
    for (const [key, last] of lastActive) if (last.overAt === undefined) lastActive.set(key, ofActive(last));
  }

  /** The ages of a tick are those at the beginning of its turn, so that what is opened in that turn is not among them. */
  function noteTick(): void {
    change((last) => ({ ...last, isTicked: true }));
  }

  function noteTold(): void {
    change((last) => (last.isTicked ? { toldAt: now(), ...last } : last));
  }

  /** A reader may be sent what was shown of an event before it was over, when it had the buckets that it had then. */
  function isFollowed(eventId: string, buckets: Buckets): boolean {
    const last = lastActive.get(eventId);
    if (last === undefined) return true;
    const { toldAt, overAt = now(), tokens } = last;
    return toldAt !== undefined && overAt - toldAt >= shownAfterMs() && tokens === tokensOf(buckets);
  }

  function hearPage(slug: string): void {
    const event = eventOfSlug.get(slug);
    if (event !== undefined) pages.set(event, now());
  }

  function hear(text: string): void {
    for (const [, token = ''] of text.matchAll(TOKEN)) tokens.set(token, now());
  }

  /**
   * A list of books may leave out those that do not exist, which says so much of each token that is asked for, if no price
   * is shown out of its book. An event may have ended since it was asked.
   */
  function hearBooks(text: string): void {
    hear(text);
    for (const event of kept.outputs.latest('events')) {
      if (event.stream !== 'events' || !WITH_BOOKS.includes(event.record.phase)) continue;
      for (const { yesToken } of event.record.buckets) if (!hasBook(yesToken)) tokens.set(yesToken, now());
    }
  }

  /** A price has no sizes where it comes from the list: the event was not active, so that its books were not followed. */
  function hasBook(token: string): boolean {
    const price = kept.outputs.get('prices', token);
    return price?.stream === 'prices' && (price.record.bidSize !== null || price.record.askSize !== null);
  }

  function priceHeardAt(token: string, activeAt: number): number | undefined {
    const price = kept.outputs.get('prices', token);
    const heard = tokens.get(token);
    // Without a price nothing is left of an empty book that was heard of when the event last had this token.
    if (price?.stream !== 'prices') return heard === undefined || heard < activeAt ? undefined : heard;
    if (hasBook(token)) return heard;
    const all = [heard ?? [], listed.get(token) ?? []].flat();
    return all.length === 0 ? undefined : Math.max(...all);
  }

  function activeAtOf(eventId: string): number {
    const last = lastActive.get(eventId);
    return last === undefined || last.overAt !== undefined ? Number.NEGATIVE_INFINITY : last.at;
  }

  function pageHeardAt(eventId: string): number | undefined {
    const heard = pages.get(eventId);
    const counters = kept.outputs.get('counters', eventId);
    // Without a count nothing is left of a page without one that was read when the event was last active.
    const isShown = counters?.stream === 'counters' && counters.record.ui !== null;
    return isShown || (heard !== undefined && heard >= activeAtOf(eventId)) ? heard : undefined;
  }

  return {
    onKept(part, method, args) {
      if (method !== 'append') return;
      if (part === 'journal' && observations.parse(args[0]).some(({ fact }) => fact.kind === 'tick'))
        noteTick();
      if (part !== 'outputs') return;
      for (const { stream, key, record } of outputs.parse(args[0])) {
        if (stream === 'events') noteEvent(key, record);
        if (stream === 'freshness') noteTold();
      }
    },
    onRead(url, text, { source, askedAt }) {
      if (!isJson(text)) return;
      const [, host, second, third, fourth = '', fifth] = url.pathname.split('/');
      // What was posted since it was asked for may be missing.
      if (host === 'posts-api' && third === 'users' && fifth === 'tweets') posts.set(fourth, askedAt);
      if (host === 'oracle' && third === 'trackings') totals.set(decodeURIComponent(fourth), now());
      // An event that is missing in the list is read from its page too, for its prices.
      const isOfEvents = source === 'events';
      if (host === 'market' && second === 'events' && third === 'slug' && !isOfEvents) hearPage(fourth);
      if (host === 'market' && second === 'events' && isOfEvents)
        for (const [, token = ''] of text.matchAll(LISTED_TOKENS)) listed.set(token, now());
      if (host === 'book' && second === 'books') hearBooks(text);
    },
    receiver: () => createSentTexts(hear),
    heardAt(eventId, input) {
      const event = kept.outputs.get('events', eventId);
      if (event?.stream !== 'events') return undefined;
      const { subject, trackingId, buckets } = event.record;
      if (subject.type !== 'posts' || !isFollowed(eventId, buckets)) return undefined;
      switch (input) {
        case 'posts':
          return posts.get(accounts.find(({ id }) => id === subject.account)?.userId ?? '');
        case 'oracle':
          return trackingId === null ? undefined : totals.get(trackingId);
        case 'ui':
          return pageHeardAt(eventId);
        case 'prices': {
          const activeAt = activeAtOf(eventId);
          const heard = buckets.flatMap(({ yesToken }) => priceHeardAt(yesToken, activeAt) ?? []);
          return heard.length === 0 ? undefined : Math.max(...heard);
        }
      }
    },
  };
}

function tokensOf(buckets: Buckets): string {
  return buckets.map(({ yesToken }) => yesToken).join();
}

function isJson(text: string): boolean {
  try {
    parsedJson(text);
    return true;
  } catch {
    return false;
  }
}
