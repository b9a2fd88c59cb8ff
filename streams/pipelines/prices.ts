import type { Observable } from 'rxjs';
import { DAY_MS } from '../model/durations.ts';
import { priceOf } from '../model/price.ts';
import type { Observation, Quote } from '../observation.ts';
import { type ActorStates, actors, type Behaviour, type OnFailure } from '../operators/actors.ts';
import type { OutputOf } from '../records.ts';
import type { Inputs } from './messages.ts';

/** An event's prices are forgotten when none has come for this long. */
const KEEP_MS = 2 * DAY_MS;

export interface PricesState {
  readonly quotes: Map<string, Quote>;
  /** When the last prices came. UTC ms. */
  heardAt: number;
}

/** The price of each bucket, emitted when any of its figures changes. */
export function prices(
  { observation$ }: Inputs<'observation'>,
  states: ActorStates<PricesState>,
  onFailure: OnFailure,
): Observable<OutputOf<'prices'>> {
  return observation$.pipe(actors(behaviour, states, onFailure));
}

const behaviour: Behaviour<Observation, PricesState, OutputOf<'prices'>> = {
  name: 'prices',
  address: ({ fact }) => {
    if (fact.kind === 'tick') return 'everyone';
    return fact.kind === 'prices' ? [String(fact.eventId)] : [];
  },
  spawn: () => ({ quotes: new Map(), heardAt: 0 }),
  receive(state, { seq, receivedAt: at, fact }, emit) {
    if (at - state.heardAt > KEEP_MS) state.quotes.clear();
    if (fact.kind !== 'prices') return;
    state.heardAt = at;
    for (const received of fact.quotes) {
      const known = state.quotes.get(received.token);
      // Order books lack the listing's figure, and the listing comes rarely, so its last figure is kept.
      const quote = { ...received, ui: received.ui ?? known?.ui ?? null };
      if (known !== undefined && isSameQuote(known, quote)) continue;
      state.quotes.set(quote.token, quote);
      const { token, bid, ask, bidSize = null, askSize = null, last } = quote;
      const best = priceOf(quote);
      const record = {
        eventId: fact.eventId,
        token,
        bid,
        ask,
        bidSize,
        askSize,
        last,
        price: best?.price ?? null,
        priceKind: best?.kind ?? null,
        at,
      };
      emit({ stream: 'prices', key: token, seq, at, cause: 'price', record });
    }
  },
  isRetired: (state) => state.quotes.size === 0,
};

function isSameQuote(a: Quote, b: Quote): boolean {
  return (
    a.bid === b.bid &&
    a.ask === b.ask &&
    (a.bidSize ?? null) === (b.bidSize ?? null) &&
    (a.askSize ?? null) === (b.askSize ?? null) &&
    a.last === b.last &&
    a.ui === b.ui
  );
}
