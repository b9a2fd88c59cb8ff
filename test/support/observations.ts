import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import {
  type AccountId,
  DAY_MS,
  type EventFact,
  type Fact,
  HOUR_MS,
  type Observation,
  type PostFact,
} from '../../streams/internal.ts';
import { event, partition, post, STALE_AFTER_MS, settings } from './facts.ts';
import { answerTo, GraphSession } from './model-answers.ts';

/** Logs as the outside world might write them: plausible, and as unkind as it is known to be. */

/** A log of 1 to `maxSteps` steps after its settings; seqs are contiguous, times follow a clock that may step. */
export function anyLog(maxSteps = 120): fc.Arbitrary<readonly Observation[]> {
  return fc
    .tuple(
      fc.constantFrom(...FIRST_DAYS),
      fc.boolean(),
      fc.array(anyStep, { minLength: 1, maxLength: maxSteps, size: 'max' }),
    )
    .map(([firstDay, isPrepared, steps]) => {
      const world = new World(noonInNewYork(firstDay));
      world.observe(settings());
      if (isPrepared) world.prepare();
      for (const step of steps) step(world);
      return world.session.log;
    });
}

/** First days of windows: one across each change of New York's clocks, one far from both. */
const FIRST_DAYS = ['2025-03-07', '2025-10-31', '2025-06-06'];

/**
 * Windows of the events, in days from the first: overlapping and nested ones of a, one that is over an hour after
 * the beginning, two of b, one of no account.
 */
const WINDOWS = [
  { account: 'a', from: 0, days: 7 },
  { account: 'a', from: 2, days: 7 },
  { account: 'a', from: 1, days: 2 },
  { account: 'a', from: -2, days: 2 },
  { account: 'b', from: 0, days: 7 },
  { account: 'b', from: 3, days: 2 },
  { account: null, from: 1, days: 1 },
];

/** Counters follow an event for a week after its end; a log stays well inside that. */
const LONGEST_MS = 5 * DAY_MS;

const SOURCES = ['posts:a', 'posts:b', 'oracle:a', 'oracle:b', 'ui:a', 'ui:b', 'prices'];
const FRESH = Object.fromEntries(SOURCES.map((name) => [name, 400]));

type Step = (world: World) => void;

function noonInNewYork(date: string): number {
  return Temporal.PlainDateTime.from(`${date}T12:00`).toZonedDateTime('America/New_York').epochMilliseconds;
}

class World {
  /** Runs every fact at once, so that requests can be answered. */
  readonly session = new GraphSession();
  readonly posts: PostFact[] = [];
  readonly events: EventFact[];
  /** How far the wall clock is off. */
  offMs = 0;
  hasNewRule = false;
  now: number;
  readonly #endAt: number;

  constructor(firstNoonAt: number) {
    this.now = firstNoonAt - HOUR_MS;
    this.#endAt = this.now + LONGEST_MS;
    const dayAt = (day: number) =>
      Temporal.Instant.fromEpochMilliseconds(firstNoonAt)
        .toZonedDateTimeISO('America/New_York')
        .add({ days: day }).epochMilliseconds;
    this.events = WINDOWS.map(({ account, from, days }, index) =>
      event({
        eventId: 100 + index,
        slug: `event-${index}`,
        title: `event ${index}`,
        subject: account
          ? { type: 'posts', account }
          : { type: 'crypto', symbol: 'X', kind: 'TOUCH', referencePrice: 1 },
        startAt: dayAt(from),
        endAt: dayAt(from + days),
        buckets: partition(100 + index),
      }),
    );
  }

  advance(ms: number): void {
    this.now = Math.min(this.now + ms, this.#endAt);
  }

  observe(fact: Fact): void {
    this.session.observe(this.now + this.offMs, fact);
  }

  /** A service that has been running: all is listed, and the posts of two months are known. */
  prepare(): void {
    for (const listed of this.events) this.observe(listed);
    for (const account of ['a', 'b'])
      this.observe({ kind: 'coverage', account, fromAt: this.now - 60 * DAY_MS });
    this.observe({ kind: 'tick', ages: FRESH });
  }

  /** Young enough that no pipeline has settled it, however wrong the clock. */
  isEditable(seen: PostFact): boolean {
    return Math.abs(this.now - seen.createdAt) <= DAY_MS;
  }

  eventAt(index: number): EventFact {
    return this.events[index % this.events.length] ?? event();
  }
}

type Shape<T> = { [K in keyof T]: fc.Arbitrary<T[K]> };

function step<T>(weight: number, shape: Shape<T>, act: (world: World, values: T) => void) {
  const arbitrary = fc.record<T>(shape, { noNullPrototype: true });
  return {
    weight,
    arbitrary: arbitrary.map(
      (values): Step =>
        (world) =>
          act(world, values),
    ),
  };
}

const index = fc.nat({ max: 29 });
const account = fc.constantFrom('a', 'b');
const flag = fc.boolean();
const rule = fc.record(
  {
    originals: flag,
    quotes: flag,
    reposts: flag,
    selfReplies: flag,
    otherReplies: flag,
    communityReposts: flag,
  },
  { noNullPrototype: true },
);
const text = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('', '👩‍🚀 up', 'a\0b', '\u202eright to left', '\ud800 alone') },
  { weight: 9, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 1, arbitrary: fc.constant('x'.repeat(10_000)) },
);
const look = {
  text,
  isReply: flag,
  isReplyToSelf: flag,
  isQuote: flag,
  isRepost: flag,
  isFromCommunity: flag,
  via: fc.constantFrom<PostFact['via'][]>('poll', 'poll', 'poll', 'backfill', 'list', 'archive'),
};
const lateMs = fc.oneof(fc.integer({ min: -500, max: 30_000 }), fc.nat({ max: 2 * DAY_MS }));
const edge = fc.constantFrom<('startAt' | 'endAt')[]>('startAt', 'endAt');
const rarely = fc.constantFrom(false, false, false, true);
const winner = fc.option(fc.nat({ max: 2 }));
const movedMs = fc.constantFrom(0, 0, 0, HOUR_MS, -DAY_MS);
const count = fc.oneof(fc.nat({ max: 40 }), fc.constantFrom(0, 1_000, 1_040));
const age = fc.oneof(fc.nat({ max: 20_000 }), fc.nat({ max: 2_000_000 }));
const price = fc.option(fc.nat({ max: 1_000 }).map((thousandths) => thousandths / 1_000));

function publish(world: World, fact: PostFact): void {
  world.posts.push(fact);
  world.observe(fact);
}

const nextPost = (world: World, account: AccountId) => {
  const id = String(1_000 + world.posts.length);
  return { ...post(), account, id, url: `https://posts.test/${id}` };
};

const repeats = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 100 }));
const advance = fc.constantFrom(1, 1_000, 1_000, 60_000, HOUR_MS, 12 * HOUR_MS);
const clockError = fc.constantFrom(0, 0, 1_000, -1_000, HOUR_MS, -HOUR_MS, DAY_MS, -DAY_MS);
const spotTick = fc.record(
  { symbol: fc.constantFrom('X', 'Y'), price: fc.nat({ max: 9 }), at: fc.nat({ max: 9 }) },
  { noNullPrototype: true },
);

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  // Time between two ticks: whatever comes next is observed before the clock is.
  step(3, { ms: advance }, (world, { ms }) => world.advance(ms)),
  step(8, { ms: advance, ages: anyAges() }, (world, { ms, ages }) => {
    world.advance(ms);
    world.observe({ kind: 'tick', ages });
  }),
  step(6, { ...look, account, lateMs }, (world, { account, lateMs, ...look }) => {
    publish(world, { ...nextPost(world, account), ...look, createdAt: world.now - lateMs });
  }),
  step(3, { ...look, index, edge, offMs: fc.integer({ min: -1, max: 1 }) }, (world, values) => {
    const { index, edge, offMs, ...look } = values;
    const { subject, ...window } = world.eventAt(index);
    const account = subject.type === 'posts' ? subject.account : 'a';
    publish(world, { ...nextPost(world, account), ...look, createdAt: (window[edge] ?? world.now) + offMs });
  }),
  step(3, { index, repeats }, (world, { index, repeats }) => {
    const seen = world.posts[index % Math.max(1, world.posts.length)];
    if (seen === undefined || (world.hasNewRule && !world.isEditable(seen))) return;
    for (let time = 0; time < repeats; time++) world.observe(seen);
  }),
  step(3, { ...look, index }, (world, { index, ...look }) => {
    const place = index % Math.max(1, world.posts.length);
    const seen = world.posts[place];
    if (seen === undefined || !world.isEditable(seen)) return;
    world.posts[place] = { ...seen, ...look };
    world.observe({ ...seen, ...look });
  }),
  step(3, { index, account }, (world, { index, account }) => {
    const seen = world.posts[index];
    if (seen === undefined) world.observe({ kind: 'post_gone', account, id: `never-${index}` });
    else if (world.isEditable(seen)) world.observe({ kind: 'post_gone', account: seen.account, id: seen.id });
  }),
  step(2, { account, days: fc.constantFrom(0, 1, 30, 60, 60) }, (world, { account, days }) => {
    world.observe({ kind: 'coverage', account, fromAt: world.now - days * DAY_MS });
  }),
  step(
    1,
    { account, days: fc.nat({ max: 60 }), isDone: flag, reading: fc.constantFrom('timeline', 'archive') },
    (world, { account, days, isDone, reading }) => {
      world.observe({ kind: 'history', account, reading, fromAt: world.now - days * DAY_MS, isDone });
    },
  ),
  step(
    2,
    { index, hours: fc.constantFrom(24, 48, 72), price: fc.constantFrom(0, 0.25, null) },
    (world, values) => {
      const { eventId, subject, endAt, buckets } = world.eventAt(values.index);
      if (subject.type !== 'posts') return;
      const prices = buckets.map(() => values.price);
      const { account } = subject;
      world.observe({ kind: 'past_prices', account, eventId, at: endAt - values.hours * HOUR_MS, prices });
    },
  ),
  step(1, { subject: fc.constantFrom('posts', 'crypto') }, (world, { subject }) => {
    world.observe({ kind: 'listing', subject });
  }),
  step(4, { index, isNamed: flag, offMs: fc.constantFrom(0, 0, -1_000, HOUR_MS) }, (world, values) => {
    const { subject, title, slug, startAt, endAt, eventId } = world.eventAt(values.index);
    if (subject.type !== 'posts' || startAt === null) return;
    const window = { startAt: startAt + values.offMs, endAt: endAt - 1_000 };
    const name = { slug: values.isNamed ? slug : null, title };
    world.observe({
      kind: 'tracking',
      account: subject.account,
      trackingId: `t${eventId}`,
      ...name,
      ...window,
    });
  }),
  step(6, { index, isClosed: rarely, isStartUnknown: rarely, movedMs, winner }, (world, values) => {
    const listed = world.eventAt(values.index);
    const { isClosed } = values;
    const startAt = values.isStartUnknown ? null : listed.startAt;
    const buckets = listed.buckets.map((bucket, index) => ({
      ...bucket,
      won: isClosed && values.winner !== null ? index === values.winner : null,
    }));
    world.observe({ ...listed, startAt, endAt: listed.endAt + values.movedMs, isClosed, buckets });
  }),
  step(4, { index, total: count }, (world, { index, total }) => {
    const { eventId, subject } = world.eventAt(index);
    const account = subject.type === 'posts' ? subject.account : 'a';
    world.observe({ kind: 'oracle', account, trackingId: `t${eventId}`, total, syncedAt: null });
  }),
  step(4, { index, count: fc.option(count) }, (world, { index, count }) => {
    world.observe({ kind: 'ui', eventId: world.eventAt(index).eventId, count });
  }),
  step(3, { index, bid: price, ask: price, last: price, ui: price }, (world, { index, ...sides }) => {
    const { eventId, buckets } = world.eventAt(index);
    const quotes = buckets.map(({ yesToken: token }) => ({ token, ...sides }));
    world.observe({ kind: 'prices', eventId, quotes });
  }),
  step(1, { index, volume: fc.option(count) }, (world, { index, volume }) => {
    const { eventId, buckets } = world.eventAt(index);
    world.observe({ kind: 'volumes', eventId, volumes: buckets.map(() => volume) });
  }),
  // On to an hour before which a forecast will be scored, or to the end.
  step(3, { index, hours: fc.constantFrom(72, 48, 24, 0, -2) }, (world, { index, hours }) => {
    world.advance(Math.max(0, world.eventAt(index).endAt - hours * HOUR_MS - world.now));
    world.observe({ kind: 'tick', ages: FRESH });
  }),
  step(2, { winner }, (world, { winner }) => {
    const over = world.events.find(({ endAt }) => endAt < world.now);
    if (over === undefined) return;
    const buckets = over.buckets.map((bucket, index) => ({ ...bucket, won: index === winner }));
    world.observe({ ...over, isClosed: true, buckets });
  }),
  // Answers come in any order, some late, some twice, some never.
  step(8, { index, isTwice: rarely }, (world, { index, isTwice }) => {
    const { asked } = world.session;
    const place = asked.length - 1 - (index % Math.max(1, Math.min(asked.length, 8)));
    const request = asked[place];
    if (request === undefined) return;
    if (!isTwice) asked.splice(place, 1);
    world.observe(answerTo(request));
  }),
  step(2, { ticks: fc.array(spotTick, { maxLength: 4 }) }, (world, { ticks }) => {
    world.observe({ kind: 'spot', ticks });
  }),
  // The wall clock is set right or wrong by a step; ages, measured on the other clock, do not notice.
  step(2, { clockError }, (world, { clockError }) => {
    world.offMs = clockError;
  }),
  step(1, { rule, posts: age }, (world, { rule, posts }) => {
    const accounts = settings().accounts.map(({ id }) => ({ id, rule }));
    world.hasNewRule = true;
    world.observe(settings({ accounts, staleAfterMs: { ...STALE_AFTER_MS, posts } }));
  }),
);

/** Ages of the sources, any of which may never have answered. */
function anyAges(): fc.Arbitrary<Record<string, number>> {
  return fc.oneof(
    fc.constant(FRESH),
    fc.dictionary(fc.constantFrom(...SOURCES), age, { noNullPrototype: true }),
  );
}
