/** Who can be made to fail: the HTTP roles and the two sockets' handshakes. */
export const FAULT_ROLES = [
  'posts',
  'oracle',
  'market',
  'book',
  'positions',
  'crypto',
  'facilitator',
  'chain',
  'bookSocket',
  'cryptoSocket',
] as const;
export type FaultRole = (typeof FAULT_ROLES)[number];

/**
 * `status` answers with a status and the role's error body, `html` with a page, `truncated` with half a JSON
 * text, `wrong-types` with numbers and texts exchanged, `odd-element` with one more element in front of each list that
 * has little of the right form, `future-post` and `long-id` with one more post in front of the list, dated 2099 or with an
 * id of 20 digits, `future-time` with every time of sending or reading in 2099, `odd-prices` with prices that cannot be,
 * `short` with the first half of each list, `empty` with none of it, `old` as the first time that this rule met the path,
 * `slow` after `delayMs`, `drip` in twenty pieces with `delayMs` before each, `hang` never, `refuse` breaks the connection
 * before the answer, `reset` inside the body, `huge` sends `bytes` of JSON.
 */
export const FAULT_KINDS = [
  'status',
  'html',
  'truncated',
  'wrong-types',
  'odd-element',
  'future-post',
  'long-id',
  'future-time',
  'odd-prices',
  'short',
  'empty',
  'old',
  'slow',
  'drip',
  'hang',
  'refuse',
  'reset',
  'huge',
] as const;
type FaultKind = (typeof FAULT_KINDS)[number];

export interface FaultRule {
  readonly role: FaultRole;
  readonly kind: FaultKind;
  /** For this many requests; null until cleared. */
  readonly times: number | null;
  readonly status: number;
  /** The value of a Retry-After header, whatever it may be; null for none. */
  readonly retryAfter: string | null;
  readonly delayMs: number;
  readonly bytes: number;
  /** Only requests whose path and query hold this text. */
  readonly contains: string;
}

export interface Faults {
  add(rule: FaultRule): void;
  clear(role: FaultRole | undefined): void;
  /** The oldest rule that fits the request, counted as used. */
  take(role: FaultRole, url: string): FaultRule | undefined;
  list(): readonly (FaultRule & { readonly left: number | null })[];
}

export function createFaults(): Faults {
  let rules: { rule: FaultRule; left: number }[] = [];
  return {
    add(rule) {
      rules.push({ rule, left: rule.times ?? Number.POSITIVE_INFINITY });
    },
    clear(role) {
      rules = rules.filter(({ rule }) => role !== undefined && rule.role !== role);
    },
    take(role, url) {
      const found = rules.find(({ rule }) => rule.role === role && url.includes(rule.contains));
      if (found === undefined) return undefined;
      found.left--;
      rules = rules.filter(({ left }) => left > 0);
      return found.rule;
    },
    list: () =>
      rules.map(({ rule, left }) => ({ ...rule, left: left === Number.POSITIVE_INFINITY ? null : left })),
  };
}

/** The same value with numbers and booleans as texts, texts as numbers and inner arrays as objects. */
export function wrongTypes(value: unknown, depth = 0): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return `x${value}`;
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) {
    const items = value.map((item) => wrongTypes(item, depth + 1));
    return depth === 0 ? items : { items };
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, wrongTypes(inner, depth + 1)]),
  );
}

/** Somebody's element as no reader expects it. */
const ODD_ELEMENT = {
  id: null,
  slug: 'a slug with blanks',
  title: null,
  markets: [{ groupItemTitle: 7, bestAsk: 1.0000001, clobTokenIds: '["1"' }],
};

/** The same body with an odd element in front of each of its outermost lists. */
export function withOddElement(body: unknown): unknown {
  if (Array.isArray(body)) return [ODD_ELEMENT, ...body];
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, inner]) => [
      name,
      Array.isArray(inner) ? [ODD_ELEMENT, ...inner] : inner,
    ]),
  );
}

const FUTURE = '2099-01-01T00:00:00.000Z';

/** One more post in front of the list `data` of the posts API or of the oracle, dated 2099 or with an id of 20 digits. */
export function withOddPost(body: unknown, kind: 'future-post' | 'long-id'): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const isLong = kind === 'long-id';
  const id = isLong ? '99999999999999999999' : '2000000000000000001';
  const at = isLong ? '2026-01-01T00:00:00.000Z' : FUTURE;
  const post = {
    id,
    text: 'an odd post',
    created_at: at,
    edit_history_tweet_ids: [id],
    platformId: id,
    content: 'an odd post',
    createdAt: at,
    importedAt: null,
  };
  const data = 'data' in body && Array.isArray(body.data) ? body.data : [];
  return { ...body, data: [post, ...data] };
}

/** The same body with every time at which something was sent or read in 2099. */
export function withFutureTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withFutureTimes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (name === 'timestamp') return [name, String(Date.parse(FUTURE))];
      return [name, name === 'lastSync' ? FUTURE : withFutureTimes(inner)];
    }),
  );
}

/** Of a Yes token, of a market's listing and of a spot price. */
const PRICE_NAMES: ReadonlySet<string> = new Set([
  'price',
  'bestBid',
  'bestAsk',
  'lastTradePrice',
  'best_bid',
  'best_ask',
  'last_trade_price',
  'outcomePrices',
]);
const ODD_PRICES = [-0.25, 1.7, 1e9, Number.NaN] as const;

/** The same body with prices below 0, above 1, enormous and not a number, in turn. A text stays a text. */
export function withOddPrices(body: unknown): unknown {
  let met = 0;
  function walk(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        if (!PRICE_NAMES.has(name)) return [name, walk(inner)];
        const odd = ODD_PRICES[met++ % ODD_PRICES.length];
        return [name, typeof inner === 'string' ? String(odd) : odd];
      }),
    );
  }
  return walk(body);
}

/** The same body with the first part of each of its outermost lists: half of it, or nothing. */
export function withShortLists(body: unknown, kind: 'short' | 'empty'): unknown {
  const shortened = (value: unknown) =>
    Array.isArray(value) ? value.slice(0, kind === 'empty' ? 0 : value.length >> 1) : value;
  if (Array.isArray(body)) return shortened(body);
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).map(([name, inner]) => [name, shortened(inner)]));
}
