import type { AccountId, EventRecord, Output } from '../../streams/internal.ts';
import type { Latest } from './latest.ts';

/**
 * The accounts whose records an output may change; undefined when it may change those of any. With many accounts most
 * outputs are of no interest to most records, and need not be shown to them. Records of no account are not meant.
 */
export function concernedAccounts(output: Output, latest: Latest): readonly AccountId[] | undefined {
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
      return [output.record.account];
    case 'events':
      return [...subjectOf(output.record), ...latest.formerAccounts(output.key)];
    case 'prices': {
      const event = latest.get('events', String(output.record.eventId));
      return event === undefined ? undefined : subjectOf(event.record);
    }
    case 'spot':
      return [];
    default:
      return undefined;
  }
}

function subjectOf({ subject }: EventRecord): readonly AccountId[] {
  return subject.type === 'posts' ? [subject.account] : [];
}
