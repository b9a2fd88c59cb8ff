import type { EventRecord } from '../../streams/internal.ts';
import { yesToken } from './payloads.ts';

/** An active event of account A with as many buckets of width 20 as asked for. */
export function activeEvent(eventId: number, buckets = 3, firstToken = 0): EventRecord {
  return {
    eventId,
    slug: `account-a-of-posts-${eventId}`,
    title: 'Account A # posts?',
    image: '',
    subject: { type: 'posts', account: 'a' },
    startAt: 0,
    endAt: Date.UTC(2099, 0),
    phase: 'active',
    trackingId: null,
    isPartition: true,
    buckets: Array.from({ length: buckets }, (_, index) => ({
      title: `${index * 20}-${index * 20 + 19}`,
      lo: index * 20,
      hi: index * 20 + 19,
      conditionId: `0x${index}`,
      marketSlug: `m-${index}`,
      yesToken: yesToken(firstToken + index),
      noToken: `${firstToken + index}1`,
      won: null,
    })),
  };
}
