import type { AccountId, Output } from '../../streams/internal.ts';
import type { Latest } from './latest.ts';

/**
 * The account that an output concerns; undefined when it may concern any. With many accounts most outputs are of no
 * interest to most records, and need not be shown to them. An event may have moved from one account to another, so it
 * concerns all.
 */
export function ownerOf(output: Output, latest: Latest): AccountId | undefined {
  switch (output.stream) {
    case 'posts':
    case 'counters':
    case 'velocity':
    case 'lag':
    case 'minutes':
    case 'predictions':
    case 'signals':
    case 'decisions':
    case 'scores':
    case 'sleep':
      return output.record.account;
    case 'prices': {
      const subject = latest.get('events', String(output.record.eventId))?.record.subject;
      return subject?.type === 'posts' ? subject.account : undefined;
    }
    default:
      return undefined;
  }
}
