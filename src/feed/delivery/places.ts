import type { TopicState } from '../log/numbering.ts';
import type { Place } from './reader.ts';

type Numbered = Extract<Place, { readonly seq: number }>;

/**
 * Places in topics. Readers that are at the same place one after the other share one object: there are thousands, and each
 * has a place in every topic it follows.
 */
export interface Places {
  at(state: TopicState, type: Numbered['type'], seq: number, upToDateBytes: number): Numbered;
}

export function createPlaces(): Places {
  const newest = {
    replay: new Map<TopicState, Numbered>(),
    live: new Map<TopicState, Numbered>(),
  };
  return {
    at(state, type, seq, upToDateBytes) {
      const known = newest[type].get(state);
      if (known?.seq === seq && known.upToDateBytes === upToDateBytes) return known;
      const place = { type, seq, upToDateBytes };
      newest[type].set(state, place);
      return place;
    },
  };
}
