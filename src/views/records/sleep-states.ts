import type { Prediction } from '../../../streams/internal.ts';
import type { Latest } from '../latest.ts';

/** From this probability on an account is said to sleep. */
const ASLEEP_FROM = 0.5;

/** Of each event, whether its newest forecast takes the account to sleep. */
export interface SleepStates {
  /** Takes note of a forecast; true when it finds the account asleep and the one before did not, or the reverse. */
  hasTurned(eventKey: string, prediction: Prediction): boolean;
  forget(eventKey: string): void;
}

export function createSleepStates(latest: Latest): SleepStates {
  const isAsleep = ({ sleepProbability }: Prediction) => sleepProbability >= ASLEEP_FROM;
  const states = new Map<string, boolean>();
  for (const { key, record } of latest.all('predictions')) {
    if (key === String(record.eventId)) states.set(key, isAsleep(record));
  }
  return {
    hasTurned(eventKey, prediction) {
      const before = states.get(eventKey);
      const now = isAsleep(prediction);
      states.set(eventKey, now);
      return before !== undefined && before !== now;
    },
    forget: (eventKey) => void states.delete(eventKey),
  };
}
