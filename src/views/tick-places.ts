import type { Latest } from './latest.ts';

interface TickPlace {
  readonly seq: number;
  /** By the calendar, UTC ms. */
  readonly at: number;
}

/** Where ticks are in the log, as far as they came since the start, so that the log need not be read for them. */
interface TickPlaces {
  /** The ticks after one observation up to another, in order; undefined when not all of them are known. */
  between(afterSeq: number, upTo: number): readonly TickPlace[] | undefined;
}

/** Of some hours, as the past is mostly asked about that is near. */
const MOST_TICKS = 10_000;

export function watchTicks(latest: Pick<Latest, 'change$'>, most = MOST_TICKS): TickPlaces {
  /** In order, and without a gap from the first on. */
  let ticks: TickPlace[] = [];
  latest.change$.subscribe((outputs) => {
    for (const { stream, seq, at } of outputs) if (stream === 'freshness') ticks.push({ seq, at });
    // Half of them at once, as each time all that stay are copied.
    if (ticks.length > 2 * most) ticks = ticks.slice(-most);
  });
  return {
    between(afterSeq, upTo) {
      const first = ticks[0];
      if (first === undefined || first.seq > afterSeq) return undefined;
      return ticks.slice(firstAfter(ticks, afterSeq), firstAfter(ticks, upTo));
    },
  };
}

/** The place of the first tick after an observation. */
function firstAfter(ticks: readonly TickPlace[], seq: number): number {
  let low = 0;
  let high = ticks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ticks[middle]?.seq ?? seq) > seq) high = middle;
    else low = middle + 1;
  }
  return low;
}
