import type { Output, OutputOf, StreamName, StreamRecords } from '../../../streams/internal.ts';

/** Records as the graph emits them, for tests that need no graph. */

export interface Shown {
  readonly time: number;
  readonly output: Output;
}

function output<S extends StreamName>(
  stream: S,
  key: string,
  seq: number,
  at: number,
  record: StreamRecords[S],
): OutputOf<S> {
  return { stream, key, seq, at, cause: 'clock', record };
}

/** Tokens `y<event>.<place>` and `n<event>.<place>` for buckets of ten counts. */
export function listed(
  time: number,
  eventId: number,
  { account = 'a', buckets = 3, won = null as number | null, seq = 1 } = {},
): Shown {
  const record: StreamRecords['events'] = {
    ...{ eventId, slug: `e${eventId}`, title: `event ${eventId}`, image: '' },
    ...{ subject: { type: 'posts', account }, startAt: 0, endAt: 1e9 },
    ...{ phase: won === null ? 'active' : 'closed', trackingId: null, isPartition: true },
    buckets: Array.from({ length: buckets }, (_, place) => ({
      ...{ title: `bucket ${place}`, lo: 10 * place, hi: place === buckets - 1 ? null : 10 * place + 9 },
      ...{
        conditionId: '',
        marketSlug: '',
        yesToken: `y${eventId}.${place}`,
        noToken: `n${eventId}.${place}`,
      },
      won: won === null ? null : won === place,
      // The lowest bucket states none, and each of the others one of its own.
      ...(place > 0 && { fee: { rate: 0.03 * (place - 1), exponent: 1 } }),
    })),
  };
  return { time, output: output('events', String(eventId), seq, time, record) };
}

export interface QuotedSides {
  readonly bid: number | null;
  readonly ask: number | null;
  readonly bidSize: number | null;
  readonly askSize: number | null;
}

export function quoted(time: number, eventId: number, place: number, sides: QuotedSides, seq = 1): Shown {
  const { bid, ask } = sides;
  const token = `y${eventId}.${place}`;
  const price = bid === null || ask === null ? null : (bid + ask) / 2;
  const record = { eventId, token, ...sides, last: null, price, priceKind: 'mid' as const, at: time };
  return { time, output: output('prices', token, seq, time, record) };
}

/** A tick: the prices of every event were confirmed `ageMs` ago, those in `lagging` earlier. */
export function ticked(
  time: number,
  ageMs: number | null,
  lagging?: Readonly<Record<string, number>>,
): Shown {
  const record: StreamRecords['freshness'] = {
    ages: ageMs === null ? {} : { prices: ageMs },
    ...(lagging && { lagging: { prices: lagging } }),
    ...{ stale: [], listedAt: { posts: null, crypto: null } },
  };
  return { time, output: output('freshness', 'all', 1, time, record) };
}
