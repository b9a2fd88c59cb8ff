import {
  type Bucket,
  DAY_MS,
  type EventFact,
  type Fact,
  type Observation,
  type PostFact,
  type Quote,
  type SettingsFact,
  type TickFact,
  type TrackingFact,
  USUAL_RULE,
} from '../../streams/internal.ts';

/** Facts with every field set; a test names the fields it is about. */

export const STALE_AFTER_MS = { posts: 10_000, oracle: 900_000, ui: 300_000, prices: 60_000 };

export function settings(overrides: Partial<SettingsFact> = {}): SettingsFact {
  const accounts = [
    { id: 'a', rule: USUAL_RULE },
    { id: 'b', rule: USUAL_RULE },
  ];
  return { kind: 'settings', accounts, staleAfterMs: STALE_AFTER_MS, ...overrides };
}

export function post(overrides: Partial<PostFact> = {}): PostFact {
  return {
    kind: 'post',
    account: 'a',
    via: 'poll',
    id: '1',
    text: 'hello',
    createdAt: 0,
    isReply: false,
    isReplyToSelf: false,
    isQuote: false,
    isRepost: false,
    isFromCommunity: false,
    url: 'https://posts.test/1',
    ...overrides,
  };
}

export function event(overrides: Partial<EventFact> = {}): EventFact {
  return {
    kind: 'event',
    eventId: 1,
    slug: 'event-1',
    title: 'event 1',
    image: 'https://market.test/1.png',
    subject: { type: 'posts', account: 'a' },
    startAt: 0,
    endAt: 7 * DAY_MS,
    isClosed: false,
    buckets: [],
    ...overrides,
  };
}

/** The buckets 0-9, 10-19 and 20 or more of an event. */
export function partition(eventId = 1): readonly Bucket[] {
  return [
    [0, 9],
    [10, 19],
    [20, null],
  ].map(([lo = null, hi = null], index) => ({
    title: hi === null ? `${lo}+` : `${lo}-${hi}`,
    lo,
    hi,
    conditionId: `condition-${eventId}-${index}`,
    marketSlug: `market-${eventId}-${index}`,
    yesToken: `yes-${eventId}-${index}`,
    noToken: `no-${eventId}-${index}`,
    won: null,
  }));
}

export function tracking(overrides: Partial<TrackingFact> = {}): TrackingFact {
  return {
    kind: 'tracking',
    account: 'a',
    trackingId: 't1',
    slug: 'event-1',
    title: 'event 1',
    startAt: 0,
    endAt: 7 * DAY_MS,
    ...overrides,
  };
}

export function tick(ages: TickFact['ages'] = {}): TickFact {
  return { kind: 'tick', ages };
}

export function quote(overrides: Partial<Quote> = {}): Quote {
  return { token: 'yes', bid: null, ask: null, last: null, ui: null, ...overrides };
}

/** A fact and when it was received. */
export type Entry = readonly [receivedAt: number, fact: Fact];

/** Facts with their times, numbered as a log is. */
export function log(...entries: Entry[]): Observation[] {
  return entries.map(([receivedAt, fact], index) => ({ seq: index + 1, receivedAt, fact }));
}
