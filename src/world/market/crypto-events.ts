import { DAY_MS, HOUR_MS } from '../../../streams/internal.ts';
import { clockText, monthDay, monthName, newYorkAt, newYorkTime, noonDayBefore } from '../calendar.ts';
import type { WorldSize } from '../size.ts';
import { CRYPTO_TAG, marketOf, type WorldEvent } from './event.ts';
import { CRYPTO_SYMBOLS, type CryptoSymbol, spotPrice } from './spot-price.ts';

const HOURS_AHEAD = 3;
const DAYS_BEHIND = 7;
const RANGE_STEP = 2_000;
const MOST_KEPT = 1_000;

interface CryptoEvents {
  /** Every crypto event listed by `now`, the oldest settled ones left out. */
  listed(now: number): readonly WorldEvent[];
}

export function createCryptoEvents(
  seed: number,
  { priceEventHours, hasDailyPriceEvents }: WorldSize,
): CryptoEvents {
  const known = new Map<string, WorldEvent>();
  function once(key: string, build: () => WorldEvent): WorldEvent {
    const event = known.get(key) ?? build();
    known.set(key, event);
    return event;
  }
  return {
    listed(now) {
      if (known.size > MOST_KEPT) known.clear();
      const events: WorldEvent[] = [];
      const hour = Math.floor(now / HOUR_MS);
      for (const symbol of CRYPTO_SYMBOLS) {
        for (let index = hour - priceEventHours; index <= hour + HOURS_AHEAD; index++) {
          events.push(once(`${symbol.symbol}${index}`, () => upDown(symbol, index)));
        }
      }
      if (!hasDailyPriceEvents) return events;
      const noon = noonDayBefore(now);
      for (let day = noon - DAYS_BEHIND; day <= noon + 1; day++) {
        for (const kind of ['range', 'ladder'] as const)
          events.push(once(`${kind}${day}`, () => daily(seed, kind, day)));
      }
      return events;
    },
  };
}

function upDown(symbol: CryptoSymbol, hourIndex: number): WorldEvent {
  const startAt = hourIndex * HOUR_MS;
  const local = newYorkTime(startAt);
  const date = `${monthName(local.month)} ${local.day}`;
  const clock = clockText(local.hour).replace(':00 ', '');
  const name = symbol.asset.toUpperCase();
  const id = 10_000_000 + hourIndex * 10 + CRYPTO_SYMBOLS.indexOf(symbol);
  const slug = `${symbol.asset}-up-or-down-${date.toLowerCase().replace(' ', '-')}-${local.year}-${clock.toLowerCase()}-et`;
  const title = `${name} Up or Down - ${date}, ${clock} ET`;
  return {
    id,
    slug,
    title,
    description: `Resolves to Up if the close of the ${symbol.symbol.toUpperCase()} 1 hour candle is at or above its open, else to Down.`,
    subject: { type: 'crypto', symbol: symbol.symbol, kind: 'up-down' },
    series: {
      id: 20_000 + CRYPTO_SYMBOLS.indexOf(symbol),
      slug: `${symbol.asset}-up-or-down-hourly`,
      title: `${name} Up or Down Hourly`,
      recurrence: 'hourly',
    },
    tag: CRYPTO_TAG,
    listedAt: startAt - DAY_MS,
    startAt,
    endAt: startAt + HOUR_MS,
    isNegRisk: false,
    tick: 10,
    markets: [
      marketOf(id, 0, { title: '', question: title, slug, lo: 0, hi: null, outcomes: ['Up', 'Down'] }),
    ],
  };
}

const dollars = (value: number): string => value.toLocaleString('en-US');

/** The price at noon of `day` plus one: a range of which one bucket wins, or a ladder of independent rungs. */
function daily(seed: number, kind: 'range' | 'ladder', day: number): WorldEvent {
  const [btc] = CRYPTO_SYMBOLS;
  const startAt = newYorkAt(day, 12);
  const endAt = newYorkAt(day + 1, 12);
  const listedAt = newYorkAt(day - 1, 12);
  const centre = Math.round(spotPrice(seed, btc, listedAt) / RANGE_STEP) * RANGE_STEP;
  const date = monthDay(day + 1);
  const id = (kind === 'range' ? 300_000 : 400_000) + day;
  const slug = `btc-${kind === 'range' ? 'price' : 'above'}-on-${date.toLowerCase().replace(' ', '-')}`;
  const bounds = Array.from({ length: 10 }, (_, index) => centre + (index - 4.5) * RANGE_STEP);
  const buckets =
    kind === 'ladder'
      ? bounds.map((lo) => ({
          lo,
          hi: null,
          title: dollars(lo),
          question: `Will the price of BTC be above $${dollars(lo)} on ${date}?`,
        }))
      : priceRanges(bounds, date);
  const { year } = newYorkTime(endAt);
  return {
    id,
    slug,
    title: kind === 'range' ? `BTC price on ${date}?` : `BTC above ___ on ${date}?`,
    description: `Resolves by the close of the BTCUSDT 1 minute candle at 12:00 PM ET on ${date}, ${year}.`,
    subject: { type: 'crypto', symbol: btc.symbol, kind },
    series: {
      id: kind === 'range' ? 20_010 : 20_011,
      slug: `btc-${kind}-daily`,
      title: `BTC ${kind} daily`,
      recurrence: 'daily',
    },
    tag: CRYPTO_TAG,
    listedAt,
    startAt,
    endAt,
    isNegRisk: kind === 'range',
    tick: 10,
    markets: buckets.map((bucket, ordinal) =>
      marketOf(id, ordinal, { ...bucket, slug: `${slug}-${ordinal}`, outcomes: ['Yes', 'No'] }),
    ),
  };
}

interface PriceBucket {
  readonly lo: number;
  readonly hi: number | null;
  readonly title: string;
  readonly question: string;
}

function priceRanges(bounds: readonly number[], date: string): readonly PriceBucket[] {
  const lowest = bounds[0] ?? 0;
  const highest = bounds.at(-1) ?? 0;
  const inner = bounds
    .slice(0, -1)
    .map((lo) => ({ lo, hi: lo + RANGE_STEP, title: `${dollars(lo)}-${dollars(lo + RANGE_STEP)}` }));
  const all = [
    { lo: 0, hi: lowest, title: `<${dollars(lowest)}` },
    ...inner,
    { lo: highest, hi: null, title: `>${dollars(highest)}` },
  ];
  return all.map((bucket) => ({
    ...bucket,
    question: `Will the price of BTC be ${bucket.title} on ${date}?`,
  }));
}
