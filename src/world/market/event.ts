import { LRUCache } from 'lru-cache';
import type { ManualEvent } from '../control/overrides.ts';
import type { Account } from '../life/accounts.ts';
import { hash32, hex } from '../rng.ts';
import { type BucketShape, bucketsOf } from './buckets.ts';
import {
  type EventTexts,
  listedAtOf,
  rangeTexts,
  type Series,
  type SeriesKind,
  textsOf,
  windowOf,
} from './event-series.ts';

interface Tag {
  readonly id: string;
  readonly label: string;
  readonly slug: string;
}

export const POSTS_TAG: Tag = { id: '972', label: 'Post Markets', slug: 'post-markets' };
export const CRYPTO_TAG: Tag = { id: '21', label: 'Crypto', slug: 'crypto' };

/** A bucket, or the one question of an up/down event. Bounds are counts or prices. */
export interface WorldMarket {
  readonly id: number;
  readonly ordinal: number;
  readonly title: string;
  readonly question: string;
  readonly slug: string;
  readonly lo: number;
  readonly hi: number | null;
  readonly conditionId: string;
  /** Yes first, or Up. */
  readonly tokens: readonly [string, string];
  readonly outcomes: readonly [string, string];
}

type WorldSubject =
  | { readonly type: 'posts'; readonly account: Account }
  | { readonly type: 'crypto'; readonly symbol: string; readonly kind: 'up-down' | 'range' | 'ladder' };

export interface WorldEvent {
  readonly id: number;
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly subject: WorldSubject;
  readonly series: {
    readonly id: number;
    readonly slug: string;
    readonly title: string;
    readonly recurrence: string;
  } | null;
  readonly tag: Tag;
  readonly listedAt: number;
  readonly startAt: number;
  readonly endAt: number;
  readonly isNegRisk: boolean;
  /** Smallest price step away from the edges, in thousandths. */
  readonly tick: 1 | 10;
  /** Lowest bucket first. */
  readonly markets: readonly WorldMarket[];
}

interface MarketFields {
  readonly title: string;
  readonly question: string;
  readonly slug: string;
  readonly lo: number;
  readonly hi: number | null;
  readonly outcomes: readonly [string, string];
}

const NUMBER_BITS = 52n;

/** A token id: a decimal text of about 77 digits, far beyond what a number holds. Its lowest bits name the outcome. */
function tokenId(marketId: number, outcome: number): string {
  const upper = BigInt(`0x7${hex(50, 'token', marketId, outcome)}`);
  return ((upper << NUMBER_BITS) | BigInt(2 * marketId + outcome)).toString();
}

/** The market that a token would be of, if there is one. */
export function marketIdOf(token: string): number {
  return Number(BigInt.asUintN(Number(NUMBER_BITS), BigInt(token)) >> 1n);
}

const MARKETS_PER_EVENT = 100;

/** The event that a market would be of, if there is one. */
export function eventIdOf(marketId: number): number {
  return Math.floor(marketId / MARKETS_PER_EVENT);
}

/** `first` is added to the ordinal in ids alone. */
export function marketOf(eventId: number, ordinal: number, fields: MarketFields, first = 0): WorldMarket {
  const id = eventId * MARKETS_PER_EVENT + first + ordinal;
  return {
    ...fields,
    id,
    ordinal,
    conditionId: `0x${hex(64, 'condition', id)}`,
    tokens: [tokenId(id, 0), tokenId(id, 1)],
  };
}

function bucketMarkets(
  eventId: number,
  account: Account,
  texts: Pick<EventTexts, 'period' | 'slug'>,
  shapes: readonly BucketShape[],
  first = 0,
): readonly WorldMarket[] {
  return shapes.map(({ title, slugSuffix, lo, hi }, ordinal) => {
    const question = `Will ${account.name} post ${title} posts ${texts.period}?`;
    const slug = `${texts.slug}-${slugSuffix}`;
    return marketOf(eventId, ordinal, { title, question, slug, lo, hi, outcomes: ['Yes', 'No'] }, first);
  });
}

const NUMBER_OF_KIND: Readonly<Record<SeriesKind, number>> = {
  'week-tuesday': 0,
  'week-friday': 10_000,
  'two-days': 20_000,
  month: 50_000,
};
const NUMBERS_PER_ACCOUNT = 100_000;
/** A and B have six digits; other events of six and of eight digits are about prices. */
const FIRST_NUMBERS = [100_000, 200_000] as const;
const FURTHER_NUMBERS = 20_000_000;

/** The same for the same window in every world. */
function numberOf({ account, kind }: Series, index: number): number {
  const first = FIRST_NUMBERS[account.index] ?? FURTHER_NUMBERS + account.index * NUMBERS_PER_ACCOUNT;
  return first + NUMBER_OF_KIND[kind] + index;
}

/** Texts and markets are most of an event's size, and nobody asks for those of most events. */
const RECENT = new LRUCache<WorldEvent, readonly WorldMarket[]>({ max: 1_500 });

/** Windows, texts and ids are the same in every world; so are the buckets, unless so many are asked for. */
export function postsEvent(series: Series, index: number, buckets?: number): WorldEvent {
  const id = numberOf(series, index);
  const window = windowOf(series, index);
  const { account, kind } = series;
  const texts = () => textsOf(series, window);
  const event: WorldEvent = {
    id,
    slug: texts().slug,
    series,
    listedAt: listedAtOf(series, index),
    ...window,
    tick: account.tick,
    subject: { type: 'posts', account },
    tag: POSTS_TAG,
    isNegRisk: true,
    get title() {
      return texts().title;
    },
    get description() {
      return texts().description;
    },
    get markets() {
      let markets = RECENT.get(event);
      if (markets === undefined) {
        markets = bucketMarkets(id, account, texts(), bucketsOf(account, kind, buckets));
        RECENT.set(event, markets);
      }
      return markets;
    },
  };
  return event;
}

export function manualPostsEvent(
  { id, slug, title, listedAt, startAt, endAt }: ManualEvent,
  account: Account,
  shapes: readonly BucketShape[],
): WorldEvent {
  const range = rangeTexts(account, { startAt, endAt });
  const texts = { ...range, slug: slug ?? range.slug, title: title ?? range.title };
  return {
    ...{ id, slug: texts.slug, title: texts.title, description: texts.description },
    subject: { type: 'posts', account },
    ...{ series: null, tag: POSTS_TAG, listedAt, startAt, endAt, isNegRisk: true, tick: 10 },
    markets: bucketMarkets(id, account, texts, shapes),
  };
}

/** Markets that replace others are numbered from here on, so that they have tokens of their own. */
const FIRST_REPLACED = 50;

/** The same event about posts with other buckets. */
export function withBuckets(event: WorldEvent, shapes: readonly BucketShape[]): WorldEvent {
  const { id, slug, subject } = event;
  if (subject.type !== 'posts') return event;
  const { period } = rangeTexts(subject.account, event);
  return { ...event, markets: bucketMarkets(id, subject.account, { period, slug }, shapes, FIRST_REPLACED) };
}

/** The buckets in the order of the market's listing, which is not ascending. */
export function listingOrder(event: WorldEvent): readonly WorldMarket[] {
  return [...event.markets].sort((left, right) => hash32(left.id) - hash32(right.id));
}
