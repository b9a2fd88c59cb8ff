import type { Bucket, Price, Spot, Subject } from '../../../streams/internal.ts';
import type { RecordOf } from '../../contract/record-of.ts';
import type { cryptoMarketRecord, cryptoRecord } from '../../contract/records/crypto.ts';
import type { ActiveEvent } from '../active-events.ts';
import { round4 } from '../round.ts';

export interface CryptoFacts {
  readonly event: ActiveEvent['record'];
  readonly subject: Extract<Subject, { readonly type: 'crypto' }>;
  readonly spot: Spot | undefined;
  readonly priceOf: (token: string) => Price | undefined;
  readonly nowMs: number;
}

/** A crypto price event. Spot and reference price are as the exchange gave them: four decimals would erase small ones. */
export function cryptoToWire({
  event,
  subject,
  spot,
  priceOf,
  nowMs,
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
    seconds_remaining: Math.max(0, Math.floor((event.endAt - nowMs) / 1_000)),
    spot_price: spot?.price ?? null,
    spot_ts: spot?.at ?? null,
    reference_price: subject.referencePrice,
    markets: event.buckets.map((bucket) => marketToWire(bucket, priceOf(bucket.yesToken))),
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
