import type { Output, Prediction } from '../../../streams/internal.ts';
import type { FeedCause } from '../../contract/feed/names.ts';
import { isActive } from '../active-events.ts';
import type { Latest } from '../latest.ts';

/** From this probability on an account counts as asleep. */
const ASLEEP_FROM = 0.5;

const isAsleep = ({ sleepProbability }: Prediction) => sleepProbability >= ASLEEP_FROM;

/** Returns `sleep_state` for a forecast that finds the account asleep or awake when the previous one did not. */
export function createSleepCause(latest: Latest): (output: Output) => FeedCause | undefined {
  const asleep = new Map<string, boolean>();
  for (const { key, record } of latest.all('predictions')) {
    if (key === String(record.eventId)) asleep.set(key, isAsleep(record));
  }
  return (output) => {
    if (output.stream === 'events' && !isActive(output)) asleep.delete(output.key);
    if (output.stream !== 'predictions') return undefined;
    const before = asleep.get(output.key);
    const now = isAsleep(output.record);
    asleep.set(output.key, now);
    return before === undefined || before === now ? undefined : 'sleep_state';
  };
}
