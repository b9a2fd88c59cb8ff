import type { Bucket, EventRecord, MinuteBucket } from '../../../streams/internal.ts';
import type { RecordOf } from '../../contract/record-of.ts';
import type { minuteMarketRecord, minuteRecord } from '../../contract/records/minutes.ts';
import type { OutputOf } from '../latest.ts';
import type { ReadMinutes } from '../minutes.ts';

/** What is shown of the minutes of an event. */
export interface ShownMinutes {
  readonly fromAt: number;
  readonly toAt: number;
  readonly stepMs: number;
  readonly limit: number;
  /** All buckets when undefined. */
  readonly bucket: Bucket | undefined;
}

/** The body after its timestamp, without the closing brace. */
export function minutesBody(
  event: EventRecord,
  shown: ShownMinutes,
  { minutes, hasOlder }: ReadMinutes,
  isPro: boolean,
): string {
  const { fromAt, toAt, stepMs, limit } = shown;
  const oldest = minutes[0]?.record.at;
  const head = {
    event_id: event.eventId,
    event_title: event.title,
    start_ts: event.startAt,
    end_ts: event.endAt,
    from_ts: fromAt,
    to_ts: toAt,
    step: stepMs / 1_000,
    limit,
    // Where the step of the oldest begins, as the page before must not show it again.
    next_to_ts: hasOlder && oldest !== undefined ? Math.floor(oldest / stepMs) * stepMs : null,
  };
  const titles = new Map(event.buckets.map((bucket) => [rangeName(bucket), bucket.title]));
  const data = minutes.map((minute) => minuteToWire(minute, shown.bucket, titles, isPro));
  return JSON.stringify({ ...head, data }).slice(1, -1);
}

function minuteToWire(
  { record }: OutputOf<'minutes'>,
  only: Bucket | undefined,
  titles: ReadonlyMap<string, string>,
  isPro: boolean,
): RecordOf<typeof minuteRecord> {
  const { at, real, oracle, forecastId, buckets } = record;
  const name = only && rangeName(only);
  return {
    ts: at,
    real_counter: real,
    market_oracle_counter: oracle,
    ...(isPro && { forecast_id: forecastId }),
    markets: buckets
      .filter((bucket) => name === undefined || rangeName(bucket) === name)
      .map((bucket) => bucketToWire(bucket, titles.get(rangeName(bucket)) ?? rangeName(bucket), isPro)),
  };
}

function bucketToWire(
  bucket: MinuteBucket,
  title: string,
  isPro: boolean,
): RecordOf<typeof minuteMarketRecord> {
  const { lo, hi, price, bid, ask, bidSize, askSize, last, volume, prob } = bucket;
  return {
    title,
    lo,
    hi,
    market_price: price,
    best_bid: bid,
    best_ask: ask,
    bid_size: bidSize,
    ask_size: askSize,
    last,
    volume,
    ...(isPro && { model_prob: prob }),
  };
}

/** The range of a bucket, which identifies it: the market may change its label. */
function rangeName({ lo, hi }: Pick<Bucket, 'lo' | 'hi'>): string {
  return hi === null ? `${lo ?? '?'}+` : `${lo ?? '?'}-${hi}`;
}
