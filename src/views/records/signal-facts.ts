import { type EventRecord, type EventSignals, type Input, skipStale } from '../../../streams/internal.ts';
import type { ActiveEvent } from '../active-events.ts';
import { type Ages, closeRecords, newest, type Origin, openRecord } from '../as-of.ts';
import type { Latest } from '../latest.ts';
import type { WinRates } from '../performance/win-rates.ts';
import type { View } from '../view.ts';
import { signalsToWire } from './signals-fields.ts';

/** What an event's signals were for everyone at one instant. Each bankroll makes a record of its own of it. */
interface SignalFacts {
  readonly event: Pick<EventRecord, 'eventId' | 'title' | 'slug' | 'endAt'>;
  /** None of an event of this very turn. */
  readonly signals?: EventSignals;
  readonly rates: Pick<WinRates, 'byStrategy'>;
  readonly origin: Origin;
  readonly ages: Ages;
}

/** The facts as JSON. */
export function signalFacts(
  latest: Latest,
  event: ActiveEvent,
  { byStrategy }: WinRates,
  late: readonly Input[],
  ages: Ages,
): string {
  const { eventId, title, slug, endAt } = event.record;
  const output = latest.get('signals', event.key);
  const { seq, at } = newest(event, output);
  const facts: SignalFacts = {
    event: { eventId, title, slug, endAt },
    ...(output && { signals: skipStale(output.record, late) }),
    rates: { byStrategy },
    origin: { seq, at },
    ages,
  };
  return JSON.stringify(facts);
}

/** The record of REST for one caller, as JSON. */
export function signalsText(factsText: string, view: View): string {
  // Written above and by nobody else.
  const { event, signals, rates, origin, ages } = JSON.parse(factsText) as SignalFacts;
  return closeRecords([openRecord(signalsToWire(event, signals, view, rates), origin)], ages).slice(1, -1);
}
