import type { Bucket, EventFact, Quote, Subject } from '../../../streams/internal.ts';
import { parseBucketLabel } from './bucket-label.ts';
import type { ListedEvent, ListedMarket } from './market-payload.ts';
import { inZone, windowStart } from './window-start.ts';

/** An event as it was listed, with the prices of its buckets' Yes tokens; or why it is refused. */
type ReadEvent =
  | { readonly fact: EventFact; readonly quotes: readonly Quote[] }
  | { readonly refusal: string };

/** Resolution statuses that mean settled; the market leaves the field empty on some closed events. */
const SETTLED = ['resolved', 'settled'];

export function readEvent(event: ListedEvent, subject: Subject): ReadEvent {
  const { id: eventId, slug, endDate: endAt } = event;
  const markets = event.markets ?? [];
  const refuse = (why: string): ReadEvent => ({ refusal: `event ${eventId} ${why}` });
  if (endAt === null) return refuse('has no end');
  if (markets.length === 0) return refuse('has no outcomes');

  const buckets: Bucket[] = [];
  for (const market of markets) {
    const found = bucketsOf(market, subject);
    if (typeof found === 'string') return refuse(found);
    buckets.push(...found);
  }
  if (new Set(buckets.map(({ yesToken }) => yesToken)).size < buckets.length) {
    return refuse('names the same token twice');
  }
  const isOfPosts = subject.type === 'posts';
  buckets.sort((a, b) =>
    isOfPosts ? (a.lo ?? 0) - (b.lo ?? 0) : firstNumber(a.title) - firstNumber(b.title),
  );
  return {
    fact: {
      kind: 'event',
      eventId,
      slug,
      title: event.title.trim(),
      image: event.image ?? '',
      subject,
      startAt: isOfPosts
        ? windowStart({ description: event.description ?? '', slug, title: event.title, endAt })
        : cryptoStart(event, subject.kind === 'UP_DOWN', endAt),
      endAt,
      isClosed: event.closed === true,
      buckets,
    },
    quotes: markets.flatMap(quotesOf),
  };
}

/** The outcomes of one market: Yes of a count's range or a price's, or both sides of Up or Down. */
function bucketsOf(market: ListedMarket, subject: Subject): readonly Bucket[] | string {
  const [yesToken, noToken] = market.clobTokenIds ?? [];
  const { conditionId, slug: marketSlug } = market;
  if (yesToken === undefined || noToken === undefined) return 'has an outcome without tokens';
  if (conditionId === null || marketSlug === null) return 'has an outcome without a name';
  const base = { conditionId, marketSlug };
  const [yes = 'Yes', no = 'No'] = market.outcomes ?? [];

  if (subject.type === 'crypto' && subject.kind === 'UP_DOWN') {
    return [
      { ...base, title: yes, lo: null, hi: null, yesToken, noToken, won: wonBy(market, 0) },
      { ...base, title: no, lo: null, hi: null, yesToken: noToken, noToken: yesToken, won: wonBy(market, 1) },
    ];
  }
  if (yes.toLowerCase() !== 'yes') return `has an outcome called ${JSON.stringify(yes)}, expected Yes`;
  const title = (market.groupItemTitle ?? market.question ?? '').trim();
  const won = wonBy(market, 0);
  if (subject.type === 'crypto') return [{ ...base, title, lo: null, hi: null, yesToken, noToken, won }];
  const range = parseBucketLabel(title);
  if (range === null) return `has a bucket labelled ${JSON.stringify(title)}, expected a range of counts`;
  return [{ ...base, title, ...range, yesToken, noToken, won }];
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
