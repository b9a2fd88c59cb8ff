import type { FeedStatus } from '../../client/browser.ts';
import { unknownCountText } from '../format.ts';

export interface StatusText {
  readonly tone: 'good' | 'busy' | 'warn' | 'bad';
  readonly word: string;
  readonly detail: string;
}

const STALE_TEXTS = {
  connection: 'nothing comes over the connection',
  graph: 'the streams of the server stand still',
  fan_out: 'the server sends nothing',
} as const;

/** The status of the connection for people. */
export function statusText(
  status: FeedStatus,
  historyPercent: number,
  sourceText: (source: string) => string,
): StatusText {
  switch (status.state) {
    case 'live': {
      const detail = historyPercent < 100 ? unknownCountText(historyPercent) : 'everything as it happens';
      return { tone: 'good', word: 'Live', detail };
    }
    case 'connecting':
      return { tone: 'busy', word: 'Connecting', detail: 'reading what there is' };
    case 'resuming':
      return { tone: 'busy', word: 'Resuming', detail: 'reading what was missed' };
    case 'stale': {
      if (status.reason !== 'source') {
        return { tone: 'warn', word: 'Stale', detail: STALE_TEXTS[status.reason] };
      }
      const detail = `no fresh answer from ${status.sources.map(sourceText).join(', ')}`;
      // Nothing but the spot prices of coins is older without them.
      return status.sources.every((source) => source === 'crypto')
        ? { tone: 'good', word: 'Live', detail }
        : { tone: 'warn', word: 'Stale', detail };
    }
    case 'down':
      return {
        tone: 'bad',
        word: 'Down',
        detail: status.reason === 'refused' ? 'the server refused the key' : 'no connection; trying again',
      };
  }
}
