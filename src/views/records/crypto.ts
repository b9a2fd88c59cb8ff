import type { Bucket, LimitedInput, Price, Spot, Subject } from '../../../streams/internal.ts';
import { CRYPTO_INPUTS } from '../../contract/crypto-inputs.ts';
import type { RecordOf } from '../../contract/record-of.ts';
import type { cryptoMarketRecord, cryptoRecord } from '../../contract/records/crypto.ts';
import {
  type ActiveEvent,
  activeCryptoEvents,
  cryptoEvents,
  movedByEvents,
  pricesOf,
  secondsLeft,
} from '../active-events.ts';
import { newest, openRecord } from '../as-of.ts';
import type { Latest } from '../latest.ts';
import type { RecordView } from '../record-view.ts';
import { round4 } from '../round.ts';

type CryptoInput = (typeof CRYPTO_INPUTS)[number];

/** Each active crypto price event with its prices: GET /meta/crypto and the channel `crypto`. */
export function cryptoView(): RecordView {
  const events = cryptoEvents();
  return {
    audiences: 'everyone',
    listsStale: true,
    hasAsOf: true,
    eventsAbout: 'crypto',
    unwatched: CRYPTO_INPUTS,
    movedBy: {
      events: movedByEvents,
      prices: events.pricedKeys,
      spot:
        ({ key: symbol }) =>
        (latest) =>
          activeCryptoEvents(latest).flatMap(({ key, record: { subject } }) =>
            subject.type === 'crypto' && subject.symbol === symbol ? [key] : [],
          ),
    },
    keys: events.keys,
    render({ latest, late }, key) {
      const event = events.find(latest, key);
      const subject = event?.record.subject;
      if (event === undefined || subject?.type !== 'crypto') return undefined;
      const spot = latest.get('spot', subject.symbol);
      const prices = pricesOf(latest, event.record);
      const origin = newest(event, spot, ...prices.values());
      const priceOf = (token: string) => prices.get(token)?.record;
      return ({ nowMs }) =>
        openRecord(
          cryptoToWire({
            event: event.record,
            subject,
            spot: spot?.record,
            priceOf,
            nowMs,
            stale: staleIn(latest, late),
          }),
          origin,
        );
    },
  };
}

/** Inputs that are late now, or had never answered at the last tick. */
function staleIn(latest: Latest, late: readonly LimitedInput[]): readonly CryptoInput[] {
  const { stale = [], ages = {} } = latest.get('freshness', 'all')?.record ?? {};
  return CRYPTO_INPUTS.filter(
    (input) => late.includes(input) || (stale.includes(input) && ages[input] === undefined),
  );
}

interface CryptoFacts {
  readonly event: ActiveEvent['record'];
  readonly subject: Extract<Subject, { readonly type: 'crypto' }>;
  readonly spot: Spot | undefined;
  readonly priceOf: (token: string) => Price | undefined;
  readonly nowMs: number;
  readonly stale: readonly CryptoInput[];
}

/** Spot and reference price are not rounded, as four decimals would erase the prices of some coins. */
function cryptoToWire({
  event,
  subject,
  spot,
  priceOf,
  nowMs,
  stale,
}: CryptoFacts): RecordOf<typeof cryptoRecord> {
  return {
    event_id: event.eventId,
    event_title: event.title,
    event_slug: event.slug,
    image: event.image,
    symbol: subject.symbol,
    kind: subject.kind,
    start_ts: event.startAt,
    end_ts: event.endAt,
    seconds_remaining: secondsLeft(event, nowMs),
    spot_price: spot?.price ?? null,
    spot_ts: spot?.at ?? null,
    reference_price: subject.referencePrice,
    markets: event.buckets.map((bucket) => marketToWire(bucket, priceOf(bucket.yesToken))),
    stale,
  };
}

function marketToWire(bucket: Bucket, price: Price | undefined): RecordOf<typeof cryptoMarketRecord> {
  return {
    title: bucket.title,
    token_id: bucket.yesToken,
    market_price: round4(price?.price ?? null),
    price_ts: price?.at ?? null,
  };
}
