import { lowerBound } from '../../streams/internal.ts';
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
const MOST_TICKS = 8_000;

/** Remembers half of `most` at least, in as much room as it has from the start. */
export function watchTicks(latest: Pick<Latest, 'change$'>, most = MOST_TICKS): TickPlaces {
  /** In order, and without a gap from the first on. */
  const seqs = new Float64Array(most);
  const times = new Float64Array(most);
  let count = 0;

  function add(seq: number, at: number): void {
    if (count === most) {
      count = Math.floor(most / 2);
      seqs.copyWithin(0, most - count);
      times.copyWithin(0, most - count);
    }
    seqs[count] = seq;
    times[count] = at;
    count += 1;
  }

  /** The place of the first tick after an observation. */
  const firstAfter = (seq: number) => lowerBound(seqs.subarray(0, count), seq + 1);

  latest.change$.subscribe((outputs) => {
    for (const { stream, seq, at } of outputs) if (stream === 'freshness') add(seq, at);
  });
  return {
    between(afterSeq, upTo) {
      if (count === 0 || (seqs[0] ?? 0) > afterSeq) return undefined;
      const from = firstAfter(afterSeq);
      const found = seqs.subarray(from, firstAfter(upTo));
      return Array.from(found, (seq, index) => ({ seq, at: times[from + index] ?? 0 }));
    },
  };
}
