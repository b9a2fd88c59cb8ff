/** Payloads in the shapes recorded of the providers, with neutral values. */

const EPOCH_MS = 1_288_834_974_657;

/** An id that carries the given time, as those of the posts API do. */
export function postIdAt(at: number, serial = 0): string {
  return String((BigInt(at - EPOCH_MS) << 22n) + BigInt(serial));
}

export interface PostSketch {
  readonly at: number;
  readonly serial?: number;
  readonly text?: string;
  readonly extra?: Readonly<Record<string, unknown>>;
}

export function wirePost({ at, serial = 0, text = 'words', extra = {} }: PostSketch) {
  const id = postIdAt(at, serial);
  return {
    id,
    text,
    created_at: new Date(at).toISOString(),
    author_id: '4000',
    conversation_id: id,
    edit_history_tweet_ids: [id],
    ...extra,
  };
}

/** A row of the oracle's list. */
export function wireListed(
  { at, serial = 0, text = 'words' }: PostSketch,
  extra: Readonly<Record<string, unknown>> = {},
) {
  return {
    id: `c${at}`,
    userId: '0479a0ae-931d',
    platformId: postIdAt(at, serial),
    content: text,
    createdAt: new Date(at).toISOString(),
    importedAt: new Date(at + 158_000).toISOString(),
    metrics: null,
    ...extra,
  };
}

/** The oracle's answer about an account that it last read at `at`. */
export function wireSync(at: number | null, lastSyncError: string | null = null) {
  const lastSync = at === null ? null : new Date(at).toISOString();
  return { success: true, data: { id: '0479a0ae-931d', handle: 'handle_a', lastSync, lastSyncError } };
}

export function timelineAnswer(posts: readonly unknown[], more: Readonly<Record<string, unknown>> = {}) {
  const { next_token, ...rest } = more;
  return {
    ...(posts.length > 0 && { data: posts }),
    ...rest,
    meta: { result_count: posts.length, ...(next_token !== undefined && { next_token }) },
  };
}

export function wireTracking(
  id: string,
  startAt: number,
  endAt: number,
  extra: Record<string, unknown> = {},
) {
  return {
    id,
    userId: '0479a0ae-931d',
    title: ` Account A # posts, ${id}? `,
    startDate: new Date(startAt).toISOString(),
    endDate: new Date(endAt).toISOString(),
    target: null,
    marketLink: `https://market.invalid/event/account-a-of-posts-${id}`,
    isActive: true,
    metrics: {},
    config: {},
    ...extra,
  };
}

export function trackingAnswer(
  id: string,
  total: unknown,
  lastSync: string | null = '2026-04-09T13:55:56.971Z',
) {
  return {
    success: true,
    data: {
      id,
      user: { id: 'u', handle: 'handle_a', lastSync, lastSyncError: null },
      stats: { total, cumulative: total, pace: 247, daily: [{ date: '2026-04-03T16:00:00.000Z', count: 6 }] },
    },
  };
}

export function wireMarket(label: string, index: number, extra: Record<string, unknown> = {}) {
  return {
    id: String(900 + index),
    question: `Will account A post ${label} times?`,
    conditionId: `0x${String(index).padStart(64, '0')}`,
    slug: `account-a-of-posts-april-3-april-10-${index}`,
    outcomes: '["Yes", "No"]',
    outcomePrices: '["0.2325", "0.7675"]',
    clobTokenIds: `["${'7'.repeat(70)}${index}0", "${'7'.repeat(70)}${index}1"]`,
    groupItemTitle: label,
    groupItemThreshold: String(index),
    volume: '122326.61',
    active: true,
    closed: false,
    umaResolutionStatuses: '[]',
    bestBid: 0.232,
    bestAsk: 0.233,
    lastTradePrice: 0.232,
    ...extra,
  };
}

export function yesToken(index: number): string {
  return `${'7'.repeat(70)}${index}0`;
}

export function wireEvent(id: number, extra: Record<string, unknown> = {}) {
  return {
    id: String(id),
    ticker: 'account-a-of-posts-april-3-april-10',
    slug: 'account-a-of-posts-april-3-april-10',
    title: 'Account A # posts April 3 - April 10, 2026?',
    description: 'Counted are posts from April 3, 2026, 12:00 PM ET to April 10, 2026, 12:00 PM ET.',
    startDate: '2026-03-31T16:02:11.120334Z',
    endDate: '2026-04-10T16:00:00Z',
    image: 'https://images.invalid/a.png',
    active: true,
    closed: false,
    liquidity: 812345.1,
    negRisk: true,
    tweetCount: 212,
    series: [{ id: '10000', slug: 'account-a-weekly', recurrence: 'weekly' }],
    tags: [{ id: '7', label: 'Posts', slug: 'posts' }],
    // Not in the order of the counts, as on the wire.
    markets: [wireMarket('240+', 2), wireMarket('<40', 0), wireMarket('40-239', 1)],
    ...extra,
  };
}

export function wireBookOf(token: string, bid: string, ask: string, extra: Record<string, unknown> = {}) {
  return {
    market: '0xabc',
    asset_id: token,
    bids: [
      { price: '0.01', size: '30' },
      { price: bid, size: '15' },
    ],
    asks: [
      { price: '0.99', size: '10' },
      { price: ask, size: '25' },
    ],
    timestamp: '1757908892351',
    hash: 'f'.repeat(40),
    ...extra,
  };
}

export function wirePosition(wallet: string, index: number, extra: Record<string, unknown> = {}) {
  return {
    proxyWallet: wallet,
    asset: `${1_000 + index}`,
    conditionId: `0x${String(index).padStart(64, '0')}`,
    size: 150.5,
    avgPrice: 0.55,
    initialValue: 82.775,
    currentValue: 90.3,
    cashPnl: 7.525,
    curPrice: 0.6,
    redeemable: false,
    mergeable: false,
    slug: 'account-a-of-posts-april-3-april-10-240-259',
    eventId: '206602',
    eventSlug: 'account-a-of-posts-april-3-april-10',
    outcome: 'Yes',
    outcomeIndex: 0,
    oppositeAsset: `${5_000 + index}`,
    endDate: '2026-04-10',
    ...extra,
  };
}
