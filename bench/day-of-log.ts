import { type Bucket, type Fact, HOUR_MS, USUAL_RULE } from '../streams/internal.ts';

const DAY_S = 86_400;

export interface DayOptions {
  /** UTC ms of the first second. */
  readonly startAt: number;
  readonly seconds?: number;
  /** Spread evenly over the day. */
  readonly priceTicks?: number;
  readonly postsPerDay?: number;
  /** One crypto tick a second, as a running engine logs it. */
  readonly hasSpot?: boolean;
}

/** The facts of one second, the tick last. */
export interface Second {
  readonly at: number;
  readonly facts: readonly Fact[];
}

/** A day of two accounts and six events, second by second; the same options give the same day. */
export function* dayOfLog(options: DayOptions): Iterable<Second> {
  const { startAt, seconds = DAY_S, priceTicks = 20_000, postsPerDay = 300, hasSpot = false } = options;
  const eventIds = [1, 2, 3, 4, 5, 6];
  let posts = 0;
  let prices = 0;
  yield { at: startAt, facts: opening(startAt, eventIds) };

  for (let second = 1; second <= seconds; second++) {
    const at = startAt + second * 1_000;
    const facts: Fact[] = [];
    while (posts < (second * postsPerDay) / DAY_S) facts.push(post(posts++, at));
    while (prices < (second * priceTicks) / DAY_S) facts.push(price(prices++, eventIds.length));
    if (second % 300 === 0) facts.push(...counts(posts, eventIds));
    if (hasSpot) facts.push({ kind: 'spot', ticks: [{ symbol: 'btc', price: 60_000 + (second % 977), at }] });
    facts.push({ kind: 'tick', ages: ages(second) });
    yield { at, facts };
  }
}

function opening(startAt: number, eventIds: readonly number[]): readonly Fact[] {
  const staleAfterMs = { posts: 10_000, oracle: 900_000, ui: 300_000, prices: 60_000 };
  const accounts = ['a', 'b'].map((id) => ({ id, rule: USUAL_RULE }));
  return [
    { kind: 'settings', accounts, staleAfterMs },
    ...accounts.map(
      ({ id }): Fact => ({ kind: 'coverage', account: id, fromAt: startAt - 40 * 24 * HOUR_MS }),
    ),
    ...eventIds.flatMap((eventId): Fact[] => {
      const account = eventId % 2 === 0 ? 'b' : 'a';
      const window = { startAt: startAt - eventId * 24 * HOUR_MS, endAt: startAt + eventId * 36 * HOUR_MS };
      const slug = `event-${eventId}`;
      return [
        {
          kind: 'event',
          eventId,
          slug,
          title: `Event ${eventId}`,
          image: 'https://market.example/image.png',
          subject: { type: 'posts', account },
          isClosed: false,
          buckets: Array.from({ length: 26 }, (_, index) => bucket(eventId, index)),
          ...window,
        },
        { kind: 'tracking', account, trackingId: `tracking-${eventId}`, slug, title: slug, ...window },
      ];
    }),
  ];
}

function bucket(eventId: number, index: number): Bucket {
  const lo = index * 20;
  return {
    title: index === 25 ? `${lo}+` : `${lo}-${lo + 19}`,
    lo,
    hi: index === 25 ? null : lo + 19,
    conditionId: `0x${String(eventId * 100 + index).padStart(64, '0')}`,
    marketSlug: `event-${eventId}-${lo}`,
    yesToken: token(eventId, index),
    noToken: `9${token(eventId, index)}`,
    won: null,
  };
}

function token(eventId: number, index: number): string {
  return String(eventId * 100 + index).padStart(77, '7');
}

function post(index: number, at: number): Fact {
  return {
    kind: 'post',
    account: index % 4 === 0 ? 'b' : 'a',
    via: 'poll',
    id: String(2_000_000_000_000_000_000n + BigInt(index)),
    text: `Post number ${index} of the day, about as long as such posts are on most days of the year.`,
    createdAt: at - 1_500,
    isReply: index % 7 === 0,
    isReplyToSelf: index % 14 === 0,
    isQuote: index % 5 === 0,
    isRepost: index % 3 === 0,
    isFromCommunity: false,
    url: `https://posts.example/status/${index}`,
  };
}

function price(index: number, events: number): Fact {
  const eventId = 1 + (index % events);
  const bid = (index % 90) / 100;
  const quote = { token: token(eventId, index % 26), bid, ask: bid + 0.01, last: bid, ui: null };
  return { kind: 'prices', eventId, quotes: [quote] };
}

function counts(posts: number, eventIds: readonly number[]): readonly Fact[] {
  return eventIds.flatMap((eventId): Fact[] => {
    const account = eventId % 2 === 0 ? 'b' : 'a';
    const total = Math.floor(posts / 2);
    return [
      { kind: 'oracle', account, trackingId: `tracking-${eventId}`, total, syncedAt: null },
      { kind: 'ui', eventId, count: Math.max(0, total - 1) },
    ];
  });
}

function ages(second: number): Readonly<Record<string, number>> {
  const names = ['crypto', 'events', 'oracle:a', 'oracle:b', 'posts:a', 'posts:b', 'prices', 'ui:a', 'ui:b'];
  return Object.fromEntries(names.map((name, index) => [name, (second * 137 + index * 71) % 5_000]));
}
