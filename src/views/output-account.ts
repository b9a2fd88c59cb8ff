import type { AccountId, Output } from '../../streams/internal.ts';
import type { Latest } from './latest.ts';

/** The account that an output is about; null when it is about none. A price names its event alone. */
export function accountOf({ stream, record }: Output, latest: Pick<Latest, 'get'>): AccountId | null {
  switch (stream) {
    case 'events':
      return record.subject.type === 'posts' ? record.subject.account : null;
    case 'prices': {
      const subject = latest.get('events', String(record.eventId))?.record.subject;
      return subject?.type === 'posts' ? subject.account : null;
    }
    default:
      return 'account' in record ? record.account : null;
  }
}
