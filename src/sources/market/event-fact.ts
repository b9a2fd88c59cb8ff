import type { Bucket, EventFact, Quote, Subject, TakerFee } from '../../../streams/internal.ts';
import { LONGEST_WINDOW_MS } from '../oracle/oracle-payload.ts';
import { decodePayload } from '../read-payload.ts';
import { parseBucketLabel } from './bucket-label.ts';
import { type ListedEvent, type ListedMarket, listedEvent } from './market-payload.ts';
import { inZone, windowStart } from './window-start.ts';

/**
 * An event as it was listed, with the prices of its buckets' Yes tokens, what was traded in each bucket, and what of it
 * was not understood; or why it is refused.
 */
type ReadEvent =
  | {
      readonly fact: EventFact;
      readonly quotes: readonly Quote[];
      /** In whole USD, in the order of the buckets. */
      readonly volumes: readonly (number | null)[];
      readonly unclear: string | null;
    }
  | { readonly refusal: string };

/** Resolution statuses that mean settled; the market leaves the field empty on some closed events. */
const SETTLED = ['resolved', 'settled'];
/** Of a foreign text in a message. */
const SHOWN = 80;

/** Reads an event of ours. A bucket that cannot be read refuses the event: the others could be mistaken for all of them. */
export function readEvent(payload: unknown, subject: Subject): ReadEvent {
  const decoded = decodePayload(listedEvent, payload);
  if ('reason' in decoded) return { refusal: `cannot be read: ${decoded.reason}` };
  const event = decoded.value;
  const { id: eventId, slug, endDate: endAt } = event;
  const markets = event.markets ?? [];
  if (endAt === null) return { refusal: 'has no end' };
  if (markets.length === 0) return { refusal: 'has no outcomes' };

  const buckets: Bucket[] = [];
  for (const market of markets) {
    const found = bucketsOf(market, subject);
    if (typeof found === 'string') return { refusal: found };
    buckets.push(...found);
  }
  if (new Set(buckets.map(({ yesToken }) => yesToken)).size < buckets.length) {
    return { refusal: 'names the same token twice' };
  }
  const isOfPosts = subject.type === 'posts';
  const startAt = isOfPosts
    ? windowStart({ description: event.description ?? '', slug, title: event.title, endAt })
    : cryptoStart(event, subject.kind === 'UP_DOWN', endAt);
  if (startAt !== null && startAt >= endAt) return { refusal: 'ends before it starts' };
  if (isOfPosts && startAt !== null && endAt - startAt > LONGEST_WINDOW_MS) {
    return { refusal: 'has a window of more than a year' };
  }
  const rank = isOfPosts
    ? ({ lo }: Bucket) => lo ?? Number.MAX_SAFE_INTEGER
    : ({ title }: Bucket) => firstNumber(title);
  buckets.sort((a, b) => rank(a) - rank(b));
  const unread = isOfPosts ? buckets.find(({ lo }) => lo === null) : undefined;
  return {
    fact: {
      kind: 'event',
      eventId,
      slug,
      title: event.title.trim(),
      image: event.image ?? '',
      subject,
      startAt,
      endAt,
      isClosed: event.closed === true,
      buckets,
    },
    quotes: markets.flatMap(quotesOf),
    volumes: volumesOf(markets, buckets),
    unclear:
      unread === undefined
        ? null
        : `has a bucket labelled ${JSON.stringify(unread.title.slice(0, SHOWN))}, expected a range of counts`,
  };
}

/** The outcomes of one market: Yes of a count's range or a price's, or both sides of Up or Down. */
function bucketsOf(market: ListedMarket, subject: Subject): readonly Bucket[] | string {
  const [yesToken, noToken] = market.clobTokenIds ?? [];
  const { conditionId, slug: marketSlug } = market;
  if (yesToken === undefined || noToken === undefined) return 'has an outcome without tokens';
  if (conditionId === null || marketSlug === null) return 'has an outcome without a name';
  const fee = feeOf(market);
  const named = { conditionId, marketSlug, fee };
  const [yes = 'Yes', no = 'No'] = market.outcomes ?? [];

  if (subject.type === 'crypto' && subject.kind === 'UP_DOWN') {
    return [
      bucketOf(named, { title: yes, lo: null, hi: null, yesToken, noToken, won: wonBy(market, 0) }),
      bucketOf(named, {
        title: no,
        lo: null,
        hi: null,
        yesToken: noToken,
        noToken: yesToken,
        won: wonBy(market, 1),
      }),
    ];
  }
  if (yes.toLowerCase() !== 'yes') {
    return `has an outcome called ${JSON.stringify(yes.slice(0, SHOWN))}, expected Yes`;
  }
  const title = (market.groupItemTitle ?? market.question ?? '').trim();
  const won = wonBy(market, 0);
  if (subject.type === 'crypto')
    return [bucketOf(named, { title, lo: null, hi: null, yesToken, noToken, won })];
  // With a range unknown the buckets are no partition: the event is counted, but no bucket of it is forecast.
  const { lo, hi } = parseBucketLabel(title) ?? { lo: null, hi: null };
  return [bucketOf(named, { title, lo, hi, yesToken, noToken, won })];
}

type Named = Pick<Bucket, 'conditionId' | 'marketSlug'> & { readonly fee: TakerFee | undefined };

/**
 * Field by field: of a copy with further fields V8 may keep a description of its own, which is larger than the bucket, and
 * the buckets of all events of the past are kept.
 */
function bucketOf(
  { conditionId, marketSlug, fee }: Named,
  { title, lo, hi, yesToken, noToken, won }: Omit<Bucket, keyof Named>,
): Bucket {
  return fee === undefined
    ? { conditionId, marketSlug, title, lo, hi, yesToken, noToken, won }
    : { conditionId, marketSlug, fee, title, lo, hi, yesToken, noToken, won };
}

/** The fee as the market states it; undefined where it states none that can be read. */
function feeOf({ feesEnabled, feeSchedule }: ListedMarket): TakerFee | undefined {
  if (feesEnabled === false) return { rate: 0, exponent: 1 };
  return feesEnabled === true && feeSchedule !== null ? feeSchedule : undefined;
}

function wonBy({ outcomePrices, closed, umaResolutionStatus }: ListedMarket, index: number): boolean | null {
  const isSettled =
    umaResolutionStatus === null ? closed === true : SETTLED.includes(umaResolutionStatus.toLowerCase());
  const won = outcomePrices?.[index];
  const lost = outcomePrices?.[1 - index];
  if (!isSettled || won === undefined || lost === undefined) return null;
  if (won === 1 && lost === 0) return true;
  // Half each is how a void market pays; it has no winner.
  return won === 0 && lost === 1 ? false : null;
}

function quotesOf(market: ListedMarket): readonly Quote[] {
  const [token] = market.clobTokenIds ?? [];
  if (token === undefined) return [];
  const { bestBid: bid, bestAsk: ask, lastTradePrice: last, outcomePrices } = market;
  return [{ token, bid, ask, last, ui: outcomePrices?.[0] ?? null }];
}

function volumesOf(markets: readonly ListedMarket[], buckets: readonly Bucket[]): readonly (number | null)[] {
  const byCondition = new Map(markets.map(({ conditionId, volumeNum }) => [conditionId, volumeNum]));
  return buckets.map(({ conditionId }) => {
    const volume = byCondition.get(conditionId) ?? null;
    return volume === null ? null : Math.round(volume);
  });
}

function cryptoStart(event: ListedEvent, isUpDown: boolean, endAt: number): number | null {
  const listedStart = event.markets?.[0]?.eventStartTime ?? event.startTime;
  if (!isUpDown) return listedStart ?? event.startDate;
  if (listedStart !== null) return listedStart;
  const unixS = /-updown-\w+-(\d{10})$/.exec(event.slug)?.[1];
  if (unixS !== undefined) return Number(unixS) * 1_000;
  // Hourly ones are named after the hour; the others run from noon to noon.
  const end = inZone(endAt);
  return (event.slug.endsWith('-et') ? end.subtract({ hours: 1 }) : end.subtract({ days: 1 }))
    .epochMilliseconds;
}

// `<62,000` stands before `62,000-64,000`.
function firstNumber(title: string): number {
  const number = Number(/\d[\d,]*(\.\d+)?/.exec(title)?.[0].replaceAll(',', '') ?? 0);
  return title.startsWith('<') ? number - 0.5 : number;
}
