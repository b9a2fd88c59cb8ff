import type { Bucket, EventRecord } from '../../../streams/internal.ts';
import type { HeldMarket, Position } from '../../sources/positions/position.ts';

/** The positions of a wallet when the market was last asked. */
export interface WalletPositions {
  readonly positions: readonly Position[];
  /** UTC ms, just before the market was asked. */
  readonly readAt: number;
}

/** A position in one side of a bucket. */
export interface Holding {
  readonly position: Position;
  readonly bucket: Bucket;
  readonly side: 'Yes' | 'No';
}

/** The market's own list leaves out smaller positions by default. */
const DUST_BELOW_SHARES = 1;

/** Whether the position can still be traded. A redeemable position is settled, and a merged one has no shares left. */
export function isOpen({ size, isRedeemable }: Position): boolean {
  return size >= DUST_BELOW_SHARES && !isRedeemable;
}

/**
 * The open positions in an event's buckets, in the order of the buckets, Yes before No. Positions in other markets, or
 * with an unknown side, are left out.
 */
export function holdingsIn(event: EventRecord, positions: readonly Position[]): readonly Holding[] {
  const find = bucketFinder(event.buckets);
  const places = new Map(event.buckets.map((bucket, place) => [bucket, place]));
  return positions
    .filter(isOpen)
    .flatMap((position) => {
      const bucket = find(position);
      const side = bucket && sideOf(bucket, position);
      return bucket && side ? [{ position, bucket, side }] : [];
    })
    .sort(
      (left, right) =>
        (places.get(left.bucket) ?? 0) - (places.get(right.bucket) ?? 0) ||
        Number(left.side === 'No') - Number(right.side === 'No'),
    );
}

/** Whether a position is, by any of its names, in an event that may still be served. */
export function isInEvents(
  { conditionId, token, marketSlug }: HeldMarket,
  events: readonly EventRecord[],
): boolean {
  const condition = conditionId?.toLowerCase();
  return events.some(
    ({ phase, buckets }) =>
      phase !== 'closed' &&
      buckets.some(
        (bucket) =>
          bucket.conditionId.toLowerCase() === condition ||
          bucket.yesToken === token ||
          bucket.noToken === token ||
          bucket.marketSlug === marketSlug,
      ),
  );
}

/** Finds a bucket by condition id, else by token, else by slug. A position may lack any but the first. */
function bucketFinder(buckets: readonly Bucket[]): (position: Position) => Bucket | undefined {
  const byCondition = new Map(buckets.map((bucket) => [bucket.conditionId.toLowerCase(), bucket]));
  const byToken = new Map(
    buckets.flatMap((bucket) => [[bucket.yesToken, bucket] as const, [bucket.noToken, bucket] as const]),
  );
  const bySlug = new Map(buckets.map((bucket) => [bucket.marketSlug, bucket]));
  return ({ conditionId, token, marketSlug }) =>
    byCondition.get(conditionId.toLowerCase()) ?? byToken.get(token) ?? bySlug.get(marketSlug);
}

/** The token determines the side, or the name of the outcome when the token is unknown. */
function sideOf(bucket: Bucket, { token, outcome }: Position): Holding['side'] | undefined {
  if (token === bucket.yesToken) return 'Yes';
  if (token === bucket.noToken) return 'No';
  return outcome === 'Yes' || outcome === 'No' ? outcome : undefined;
}
