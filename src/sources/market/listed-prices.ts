import type { Bucket } from '../../../streams/internal.ts';
import { digestOf } from '../../resilience/digest.ts';

/** Names what the list says of the prices of an event. With other buckets it says nothing about these. */
export function listedPrices(eventId: number, buckets: readonly Pick<Bucket, 'yesToken'>[]): string {
  return `${eventId} ${digestOf(buckets.map(({ yesToken }) => yesToken))}`;
}
