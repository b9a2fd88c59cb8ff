import { horizonOf } from '../model/time-left.ts';
import type { AccountId } from '../observation.ts';
import type { Counters, EventRecord, Prediction, Price } from '../records.ts';
import type { ScoreRecord, VoidRecord } from '../score-records.ts';
import type { EventSignals } from '../signal-records.ts';
import { accountShareOf, eventSignals } from './event-signals.ts';
import { trackRecords } from './score-history.ts';

/** The records of an active event at one instant. */
interface EventThen {
  readonly event: EventRecord;
  readonly counters: Counters | undefined;
  readonly prediction: Prediction | undefined;
  /** By Yes token. */
  readonly priceOf: (token: string) => Price | undefined;
}

/** The signals of an account at one instant, from the records of its active events and its scores by then. */
export function signalsAt(
  account: AccountId,
  events: readonly EventThen[],
  scores: readonly (ScoreRecord | VoidRecord)[],
  at: number,
): readonly EventSignals[] {
  const trackAt = trackRecords(scores);
  const records = events.map(({ event, counters, prediction, priceOf }) => {
    const horizonHours = horizonOf(event.endAt - at);
    return eventSignals(
      {
        event,
        counters: counters ?? null,
        prediction: prediction ?? null,
        bookOf: priceOf,
        horizonHours,
        track: trackAt(horizonHours),
        accountShare: 1,
        at,
      },
      account,
    );
  });
  const accountShare = accountShareOf(records);
  return records.map((record) => ({ ...record, accountShare }));
}
