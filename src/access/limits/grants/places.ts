import { HOUR_MS, MINUTE_MS } from '../../../../streams/internal.ts';
import { unknownReserve, VALID_MS } from './rules.ts';

/** An edge that has reserves. */
interface Place {
  /** What a caller has in reserve at an edge that knows nothing of it is this part of its limit. */
  readonly parts: number;
  /** From then on an edge has something in reserve for a caller that it knows nothing of. */
  readonly reserveFrom: number;
  readonly until: number;
}

export interface PlaceSettings {
  /** How many edges can have reserves at a time; an edge that was killed takes a place for `placeMs` and an hour. */
  readonly places: number;
  /** How long an edge uses its reserves without hearing from an engine. */
  readonly placeMs: number;
}

/** The edges for which a part of each limit is set aside: half of it in all. */
interface Places {
  readonly parts: number;
  get(edge: string): Place | undefined;
  /** The place that an edge has or can have, not yet taken; undefined when all are taken. */
  offer(edge: string, isFirst: boolean, now: number): Place | undefined;
  take(edge: string, place: Place): void;
  leave(edge: string): void;
  /** What an edge let in on its own before its place ended counts for an hour more. */
  counts(edge: string, now: number): boolean;
  /** 0 for an edge that does not count. */
  unknownReserve(edge: string, limit: number, now: number): number;
  /** How many may ask. */
  alive(now: number): number;
  edges(): Iterable<string>;
}

export function createPlaces({ places: most, placeMs }: PlaceSettings): Places {
  const places = new Map<string, Place>();
  const parts = 2 * most;

  function counts(edge: string, now: number): boolean {
    const place = places.get(edge);
    return place !== undefined && place.until > now - HOUR_MS;
  }

  return {
    parts,
    counts,
    get: (edge) => places.get(edge),
    offer(edge, isFirst, now) {
      const place = places.get(edge);
      const until = now + placeMs;
      if (place !== undefined) return place.until - now > placeMs / 2 ? place : { ...place, until };
      if (places.size >= most) return undefined;
      // What was granted so far was granted without regard to this edge. The last minute is for messages that take long.
      return { parts, reserveFrom: isFirst ? now : now + HOUR_MS + VALID_MS + MINUTE_MS, until };
    },
    take: (edge, place) => places.set(edge, place),
    leave: (edge) => places.delete(edge),
    unknownReserve(edge, limit, now) {
      const place = places.get(edge);
      return place !== undefined && counts(edge, now) ? unknownReserve(limit, place.parts) : 0;
    },
    alive(now) {
      let alive = 0;
      for (const { until } of places.values()) if (until > now) alive += 1;
      return alive;
    },
    edges: () => places.keys(),
  };
}
