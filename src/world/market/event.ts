import type { ManualEvent } from '../control/overrides.ts';
import type { Account } from '../life/accounts.ts';
import { hash32, hex } from '../rng.ts';
import { type BucketShape, bucketsOf } from './buckets.ts';
import { type EventTexts, listedAtOf, rangeTexts, type Series, textsOf, windowOf } from './event-series.ts';

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
  | { readonly type: 'posts'; readonly account: Account; readonly period: string }
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

/** A token id: a decimal text of about 77 digits, far beyond what a number holds. */
function tokenId(marketId: number, outcome: number): string {
  return BigInt(`0x7${hex(63, 'token', marketId, outcome)}`).toString();
}

export function marketOf(eventId: number, ordinal: number, fields: MarketFields): WorldMarket {
  const id = eventId * 100 + ordinal;
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
  texts: EventTexts,
  shapes: readonly BucketShape[],
): readonly WorldMarket[] {
  return shapes.map((shape, ordinal) =>
    marketOf(eventId, ordinal, {
      title: shape.title,
      question: `Will ${account.name} post ${shape.title} posts ${texts.period}?`,
      slug: `${texts.slug}-${shape.slugSuffix}`,
      lo: shape.lo,
      hi: shape.hi,
      outcomes: ['Yes', 'No'],
    }),
  );
}

/** Six digits, the same for the same window in every world. */
function eventIdOf(series: Series, index: number): number {
  const offset = { 'week-tuesday': 100_000, 'week-friday': 110_000, 'two-days': 120_000, month: 150_000 }[
    series.kind
  ];
  return offset + index + (series.account.id === 'a' ? 0 : 100_000);
}

type EventFields = Pick<WorldEvent, 'id' | 'series' | 'listedAt' | 'startAt' | 'endAt' | 'tick'>;

function eventOf(
  fields: EventFields,
  account: Account,
  { slug, title, description, period }: EventTexts,
  markets: readonly WorldMarket[],
): WorldEvent {
  const subject = { type: 'posts', account, period } as const;
  return { ...fields, slug, title, description, subject, tag: POSTS_TAG, isNegRisk: true, markets };
}

export function postsEvent(series: Series, index: number): WorldEvent {
  const id = eventIdOf(series, index);
  const window = windowOf(series, index);
  const texts = textsOf(series, window);
  const { account } = series;
  const listedAt = listedAtOf(series, index);
  const tick = account.id === 'a' ? 1 : 10;
  const markets = bucketMarkets(id, account, texts, bucketsOf(account.id, series.kind));
  return eventOf({ id, series, listedAt, ...window, tick }, account, texts, markets);
}

export function manualPostsEvent(
  { id, slug, title, listedAt, startAt, endAt }: ManualEvent,
  account: Account,
  shapes: readonly BucketShape[],
): WorldEvent {
  const range = rangeTexts(account, { startAt, endAt });
  const texts = { ...range, slug: slug ?? range.slug, title: title ?? range.title };
  const fields = { id, series: null, listedAt, startAt, endAt, tick: 10 } as const;
  return eventOf(fields, account, texts, bucketMarkets(id, account, texts, shapes));
}

/** The buckets in the order of the market's listing, which is not ascending. */
export function listingOrder(event: WorldEvent): readonly WorldMarket[] {
  return [...event.markets].sort((left, right) => hash32(left.id) - hash32(right.id));
}
