import type { Observable } from 'rxjs';
import { DAY_MS } from '../model/durations.ts';
import { priceOf } from '../model/price.ts';
import type { Observation, Quote } from '../observation.ts';
import { type ActorFailure, type ActorStates, actors } from '../operators/actors.ts';
import type { OutputOf } from '../records.ts';

/** An event's prices are forgotten when none has come for this long. */
const KEEP_MS = 2 * DAY_MS;

export interface PricesState {
  readonly quotes: Map<string, Quote>;
  heardAt: number;
}

/** The price of each bucket, emitted when any of its figures changes. */
export function prices(
  observation$: Observable<Observation>,
  states: ActorStates<PricesState>,
  onFailure: (failure: ActorFailure<Observation>) => void,
): Observable<OutputOf<'prices'>> {
  return observation$.pipe(
    actors<Observation, PricesState, OutputOf<'prices'>>(behaviour, states, onFailure),
  );
}

const behaviour = {
  name: 'prices',
  address: ({ fact }: Observation): readonly string[] | 'everyone' => {
    if (fact.kind === 'tick') return 'everyone';
    return fact.kind === 'prices' ? [String(fact.eventId)] : [];
  },
  spawn: (): PricesState => ({ quotes: new Map(), heardAt: 0 }),
  receive(
    state: PricesState,
    { seq, receivedAt: at, fact }: Observation,
    emit: (output: OutputOf<'prices'>) => void,
  ) {
    if (at - state.heardAt > KEEP_MS) state.quotes.clear();
    if (fact.kind !== 'prices') return;
    state.heardAt = at;
    for (const heard of fact.quotes) {
      const known = state.quotes.get(heard.token);
      // The books do not carry the listing's figure and the listing comes seldom: keep the last one told.
      const quote = { ...heard, ui: heard.ui ?? known?.ui ?? null };
      if (known !== undefined && isSameQuote(known, quote)) continue;
      state.quotes.set(quote.token, quote);
      const { token, bid, ask } = quote;
      const best = priceOf(quote);
      const record = {
        eventId: fact.eventId,
        token,
        bid,
        ask,
        price: best?.price ?? null,
        priceKind: best?.kind ?? null,
        at,
      };
      emit({ stream: 'prices', key: token, seq, at, cause: 'price', record });
    }
  },
  isRetired: (state: PricesState) => state.quotes.size === 0,
};

function isSameQuote(a: Quote, b: Quote): boolean {
  return a.bid === b.bid && a.ask === b.ask && a.last === b.last && a.ui === b.ui;
}
