import type { AccountState, Counters, State } from './records.ts';

export interface ShownEvent {
  readonly account: string;
  readonly eventId: number;
  readonly records: AccountState;
  readonly event: Counters;
  /** Whether it stands in for one that is chosen and not active any more. */
  readonly isOther: boolean;
}

interface Chosen {
  readonly account: string | undefined;
  readonly eventId: number | undefined;
}

/**
 * The chosen event while it is active, else the first of its account, else the first of all. Undefined as long as the
 * events of the chosen account are not known.
 */
export function shownEvent({ accounts }: Pick<State, 'accounts'>, chosen: Chosen): ShownEvent | undefined {
  const isKnown = chosen.account !== undefined && accounts.has(chosen.account);
  if (isKnown && accounts.get(chosen.account ?? '')?.counters === undefined) return undefined;
  const all = [...accounts].flatMap(([account, records]) =>
    (records.counters ?? []).map((event) => ({ account, eventId: event.event_id, records, event })),
  );
  const found =
    all.find(({ eventId }) => eventId === chosen.eventId) ??
    all.find(({ account }) => account === chosen.account) ??
    all[0];
  if (found === undefined) return undefined;
  return { ...found, isOther: chosen.eventId !== undefined && chosen.eventId !== found.eventId };
}
