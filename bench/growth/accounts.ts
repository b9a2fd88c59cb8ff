import { PARTS_OF_ROUND, partOfRound } from '../../src/sources/market/followed-books.ts';
import { SOURCE_SETTINGS } from '../../src/sources/settings.ts';
import { spreadOf } from '../../src/sources/spread.ts';
import {
  type Bucket,
  coldStart,
  DAY_MS,
  type Fact,
  type Forecast,
  HORIZON_HOURS,
  HOUR_MS,
  MODEL,
  type PostFact,
  USUAL_RULE,
} from '../../streams/internal.ts';

/** Posts a day of the accounts, in turn. Every two, twenty and two hundred of them have about the same mean. */
const RATES = [40, 60, 1, 90, 200, 2, 25, 75, 8, 3, 150, 30, 5, 50, 16, 120, 12, 45, 20, 36];
const OPEN_EVENTS = 3;
const WINDOW_MS = 7 * DAY_MS;
/** An event opens each time these 56 hours have passed, so that `OPEN_EVENTS` are open at any time. */
const EVENT_EVERY_MS = WINDOW_MS / OPEN_EVENTS;
const LISTED_BEFORE_MS = DAY_MS;
const BUCKETS = 26;
/** Ids of an account's events begin at a multiple of this. */
const IDS = 1_000;
const PRICES_EVERY_S = 10;
const COUNTS_EVERY_S = 300;
const FORECAST_EVERY_S = 60;
const TICK_EVERY_HOURS = 6;
const STEP_MS = 1_000;

/** What was received at one instant, the tick last. */
export interface Step {
  readonly at: number;
  readonly facts: readonly Fact[];
}

/** The ids `a`, `b`, … `z`, `aa`, and so on. */
export function accountIds(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => nameOf(index));
}

function nameOf(index: number): string {
  const last = String.fromCharCode('a'.charCodeAt(0) + (index % 26));
  return index < 26 ? last : nameOf(Math.floor(index / 26) - 1) + last;
}

/** The settings; comes before all else. */
export function opening(accounts: readonly string[], startAt: number): Step {
  const staleAfterMs = { posts: 10_000, oracle: 900_000, ui: 300_000, prices: 60_000 };
  return {
    at: startAt,
    facts: [
      { kind: 'settings', accounts: accounts.map((id) => ({ id, rule: USUAL_RULE })), staleAfterMs },
      { kind: 'listing', subject: 'posts' },
      tick(accounts, 0),
    ],
  };
}

/** Days before the present on which the service was started for the first time. By now it keeps little of what is over. */
const STARTED_DAYS_AGO = 10;
const FACTS_PER_STEP = 2_000;

/**
 * What a service has logged that knows of `days`: at its first start every post and event of the past, with the forecasts
 * of the past that are scored, and since then each hour. Of its ticks, four a day.
 */
export function* history(accounts: readonly string[], startAt: number, days: number): Iterable<Step> {
  const hours = days * 24;
  const firstHour = hours - STARTED_DAYS_AGO * 24;
  const lives = accounts.map((id, index) => lifeOf(id, index, startAt));
  for (const life of lives) yield* backfill(life, startAt + firstHour * HOUR_MS);
  for (let hour = firstHour + 1; hour <= hours; hour++) {
    const at = startAt + hour * HOUR_MS;
    const facts: Fact[] = [];
    for (const life of lives) {
      facts.push(...postsBetween(life, at - HOUR_MS, at));
      for (const event of eventsAround(life, at)) facts.push(...hourOf(event, at));
    }
    if (hour % TICK_EVERY_HOURS === 0) facts.push(tick(accounts, hour));
    if (facts.length > 0) yield { at, facts };
  }
}

/** All that is known of an account at its first start, as it is read back. */
function* backfill(life: Life, at: number): Iterable<Step> {
  const { account, startAt } = life;
  const facts: Fact[] = Array.from(postsBetween(life, startAt, at), (post) => ({ ...post, via: 'backfill' }));
  facts.push({ kind: 'coverage', account, fromAt: startAt }, fitOf(life, at));
  const newest = eventsAround(life, at).at(-1)?.n ?? 0;
  for (let n = 0; n <= newest; n++) {
    const event = eventAt(life, n);
    const isOver = event.endAt <= at;
    facts.push(listing(event, isOver), tracking(event), ...counts(event, at));
    if (!isOver) facts.push(prices(event, n, BUCKETS));
    for (const hours of isOver ? HORIZON_HOURS : []) {
      const madeAt = event.endAt - hours * HOUR_MS;
      facts.push(pastPrices(event, madeAt), forecast(event, madeAt, hours));
    }
  }
  for (let from = 0; from < facts.length; from += FACTS_PER_STEP) {
    yield { at, facts: facts.slice(from, from + FACTS_PER_STEP) };
  }
}

/** What one source delivers, so many ms into its second. */
interface Delivery extends Step {
  readonly afterMs: number;
}

/**
 * A second as the sources of the program deliver it: what is polled of each account at the account's share of the second,
 * prices with the next part of a round of them, and the tick at the end.
 */
export function deliveriesOf({ at: endAt, facts }: Step, accounts: readonly string[]): readonly Delivery[] {
  const places = new Map(accounts.map((account, place) => [account, place]));
  const byTime = new Map<number, Fact[]>();
  // The timer of prices falls behind that of ticks by a little each time, so that it has every phase in turn.
  const pricesPhase = spreadOf(endAt / STEP_MS);
  for (const fact of facts) {
    const afterMs = deliveredAfterMs(fact, places, pricesPhase);
    byTime.set(afterMs, [...(byTime.get(afterMs) ?? []), fact]);
  }
  const inOrder = [...byTime].sort(([a], [b]) => a - b);
  return inOrder.map(([afterMs, facts]) => ({ afterMs, at: endAt - STEP_MS + afterMs, facts }));
}

function deliveredAfterMs(fact: Fact, places: ReadonlyMap<string, number>, pricesPhase: number): number {
  if (fact.kind === 'tick') return STEP_MS;
  const place = places.get(accountOf(fact) ?? '');
  const atMs = place === undefined ? 0 : STEP_MS * spreadOf(place);
  if (fact.kind !== 'prices') return Math.floor(atMs);
  const roundMs = SOURCE_SETTINGS.pricesFlushPeriodMs;
  const part = partOfRound((place ?? 0) * OPEN_EVENTS);
  const inRoundMs = (roundMs / PARTS_OF_ROUND) * part + roundMs * pricesPhase;
  return Math.floor(roundMs * Math.floor(atMs / roundMs) + inRoundMs) % STEP_MS;
}

/** The account that a fact is about; undefined when it is about all. */
export function accountOf(fact: Fact): string | undefined {
  if ('account' in fact) return fact.account;
  return 'eventId' in fact ? nameOf(Math.floor(fact.eventId / IDS) - 1) : undefined;
}

/** Seconds of a running service, which go on where the history ended. */
export function* seconds(
  accounts: readonly string[],
  startAt: number,
  days: number,
  count: number,
): Iterable<Step> {
  const from = startAt + days * DAY_MS;
  const lives = accounts.map((id, index) => lifeOf(id, index, startAt));
  for (let second = 1; second <= count; second++) {
    const at = from + second * STEP_MS;
    const facts: Fact[] = [];
    for (const life of lives) {
      facts.push(...postsBetween(life, at - STEP_MS, at));
      for (const event of eventsAround(life, at)) {
        if (event.startAt > at || event.endAt <= at) continue;
        // Those of different accounts have nothing to do with each other.
        const phase = second + event.n + 7 * life.index;
        if (phase % PRICES_EVERY_S === 0) facts.push(prices(event, phase / PRICES_EVERY_S, 2));
        if (phase % COUNTS_EVERY_S === 0) facts.push(...counts(event, at));
        if (phase % FORECAST_EVERY_S === 0) facts.push(forecast(event, at));
      }
    }
    facts.push(tick(accounts, second));
    yield { at, facts };
  }
}

interface Life {
  readonly account: string;
  readonly index: number;
  readonly startAt: number;
  readonly everyMs: number;
}

interface ListedEvent {
  readonly life: Life;
  readonly n: number;
  readonly eventId: number;
  readonly startAt: number;
  readonly endAt: number;
}

function lifeOf(account: string, index: number, startAt: number): Life {
  return { account, index, startAt, everyMs: DAY_MS / (RATES[index % RATES.length] ?? 1) };
}

/** The posts made in `[from, to)`, seen a little later. */
function* postsBetween(
  { account, index, startAt, everyMs }: Life,
  from: number,
  to: number,
): Iterable<PostFact> {
  const offsetMs = (index * 7_919_000) % everyMs;
  const first = Math.ceil((from - startAt - offsetMs) / everyMs);
  for (let n = Math.max(0, first); ; n++) {
    const createdAt = Math.floor(startAt + offsetMs + n * everyMs);
    if (createdAt >= to) return;
    if (createdAt >= from) yield post(account, index, n, createdAt);
  }
}

/** Ids of the platform hold the time. */
function post(account: string, index: number, n: number, createdAt: number): PostFact {
  const id = String((BigInt(createdAt - 1_288_834_974_657) << 22n) + BigInt(index));
  return {
    kind: 'post',
    account,
    via: 'poll',
    id,
    text: `Post ${n} of ${account} with the id ${id}, about as long as such posts are on most days of the year.`,
    createdAt,
    isReply: n % 7 === 0,
    isReplyToSelf: n % 14 === 0,
    isQuote: n % 5 === 0,
    isRepost: n % 3 === 0,
    isFromCommunity: false,
    url: `https://posts.example/${account}/status/${id}`,
  };
}

/** The events that are listed or were open in the last hour. */
function eventsAround(life: Life, at: number): readonly ListedEvent[] {
  const stagger = staggerOf(life);
  const newest = Math.floor((at + LISTED_BEFORE_MS - life.startAt - stagger) / EVENT_EVERY_MS);
  const events: ListedEvent[] = [];
  for (let n = Math.max(0, newest - OPEN_EVENTS - 1); n <= newest; n++) events.push(eventAt(life, n));
  return events;
}

function eventAt(life: Life, n: number): ListedEvent {
  const startAt = life.startAt + staggerOf(life) + n * EVENT_EVERY_MS;
  return { life, n, eventId: (life.index + 1) * IDS + n, startAt, endAt: startAt + WINDOW_MS };
}

function staggerOf({ index }: Life): number {
  return (index * 5 * HOUR_MS) % EVENT_EVERY_MS;
}

/** What became known of an event in the hour before `at`, a whole hour. */
function* hourOf(event: ListedEvent, at: number): Iterable<Fact> {
  const { startAt, endAt } = event;
  if (at === startAt - LISTED_BEFORE_MS) yield* [listing(event, false), tracking(event)];
  if (at === startAt || at === endAt - HOUR_MS) yield prices(event, at / HOUR_MS, BUCKETS);
  if (at < startAt || at > endAt) return;
  const hoursLeft = (endAt - at) / HOUR_MS;
  if (hoursLeft % 24 === 0) yield* counts(event, at);
  if (HORIZON_HOURS.includes(hoursLeft)) yield forecast(event, at);
  if (at === endAt) yield listing(event, true);
}

function listing({ life, eventId, startAt, endAt }: ListedEvent, isClosed: boolean): Fact {
  return {
    kind: 'event',
    eventId,
    slug: `event-${eventId}`,
    title: `How many posts will ${life.account} make in window ${eventId}?`,
    image: 'https://market.example/image.png',
    subject: { type: 'posts', account: life.account },
    startAt,
    endAt,
    isClosed,
    buckets: Array.from({ length: BUCKETS }, (_, place) =>
      bucket(eventId, place, isClosed ? place === 5 : null),
    ),
  };
}

function bucket(eventId: number, place: number, won: boolean | null): Bucket {
  const lo = place * 20;
  const isLast = place === BUCKETS - 1;
  return {
    title: isLast ? `${lo}+` : `${lo}-${lo + 19}`,
    lo,
    hi: isLast ? null : lo + 19,
    conditionId: `0x${String(eventId * 100 + place).padStart(64, '0')}`,
    marketSlug: `event-${eventId}-number-of-posts-${lo}`,
    yesToken: token(eventId, place),
    noToken: `9${token(eventId, place)}`,
    won,
  };
}

function token(eventId: number, place: number): string {
  return String(eventId * 100 + place).padStart(77, '7');
}

function tracking({ life, eventId, startAt, endAt }: ListedEvent): Fact {
  const slug = `event-${eventId}`;
  return {
    kind: 'tracking',
    account: life.account,
    trackingId: `tracking-${eventId}`,
    slug,
    title: slug,
    startAt,
    endAt,
  };
}

function prices({ eventId }: ListedEvent, turn: number, quotes: number): Fact {
  return {
    kind: 'prices',
    eventId,
    quotes: Array.from({ length: quotes }, (_, index) => {
      const place = (turn + index) % BUCKETS;
      const bid = ((turn * 7 + place) % 90) / 100;
      return {
        token: token(eventId, place),
        bid,
        ask: bid + 0.01,
        bidSize: 120.5,
        askSize: 80.25,
        last: bid,
        ui: null,
      };
    }),
  };
}

function pastPrices({ life, eventId }: ListedEvent, at: number): Fact {
  const prices = Array.from({ length: BUCKETS }, (_, place) => ((eventId * 7 + place) % 90) / 100);
  return { kind: 'past_prices', account: life.account, eventId, at, prices };
}

function counts({ life, eventId, startAt }: ListedEvent, at: number): readonly Fact[] {
  const total = Math.max(0, Math.floor((at - startAt) / life.everyMs));
  return [
    {
      kind: 'oracle',
      account: life.account,
      trackingId: `tracking-${eventId}`,
      total,
      syncedAt: at - 60_000,
    },
    { kind: 'ui', eventId, count: Math.max(0, total - 1) },
  ];
}

function fitOf({ account }: Life, at: number): Fact {
  const params = { ...coldStart(), version: `${MODEL}+${at}`, fittedAt: at, rows: 1_000 };
  return { kind: 'fit', account, askedSeq: askedAt(at), params };
}

/** Later than every seq of such a log, and growing. */
function askedAt(at: number): number {
  return Math.floor(at / 1_000);
}

/** A live one, or with `hours` one of the past, for the row at that distance from the close. */
function forecast(event: ListedEvent, at: number, hours: number | null = null): Fact {
  const { life, eventId, startAt, endAt } = event;
  const count = Math.max(0, Math.floor((at - startAt) / life.everyMs));
  const mean = (endAt - at) / life.everyMs;
  const shape = shapeOf(count, mean);
  return {
    kind: 'forecast',
    account: life.account,
    eventId,
    askedSeq: askedAt(at),
    origin: hours === null ? 'live' : 'history',
    horizonHours: hours,
    seed: eventId,
    inputs: {
      version: `${MODEL}+cold`,
      now: at,
      endAt,
      count,
      mean,
      dispersion: 1.5,
      shares: Array.from({ length: 24 }, () => 0.041_667),
    },
    forecast: shape,
    pace: shape,
    own: shape,
    settlement: {
      oracle: count,
      soFar: { least: count, probs: [0.7, 0.2, 0.1] },
      offset: { least: -2, probs: [0.1, 0.2, 0.4, 0.2, 0.1] },
      p5: -2,
      p50: 0,
      p95: 2,
    },
    sleepProbability: (at / STEP_MS) % 2 === 0 ? 0.25 : 0.125,
    moved: [{ cause: 'clock', p50: 0.25 }],
  };
}

function shapeOf(count: number, mean: number): Forecast {
  const quantiles = Array.from(
    { length: 101 },
    (_, percent) => count + Math.round((mean * (50 + percent)) / 100),
  );
  const probs = Array.from({ length: BUCKETS }, () => Number((1 / BUCKETS).toFixed(6)));
  return {
    p5: quantiles[5] ?? 0,
    p50: quantiles[50] ?? 0,
    p95: quantiles[95] ?? 0,
    quantiles,
    bucketProbs: probs,
  };
}

function tick(accounts: readonly string[], n: number): Fact {
  const ages: Record<string, number> = { crypto: 500, events: 20_000, prices: 1_000 };
  for (const [index, account] of accounts.entries()) {
    for (const source of ['oracle', 'posts', 'ui'])
      ages[`${source}:${account}`] = (n * 137 + index * 71) % 5_000;
  }
  return { kind: 'tick', ages };
}
