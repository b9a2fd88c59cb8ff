import { setFlagsFromString } from 'node:v8';
import { optimizeLater } from './optimize-later.ts';

/** From here on reading the history takes minutes, and each collection has much to look through. */
const MANY_ACCOUNTS = 20;
const GROWTH_PERCENT = 10;
const GROWTH_PERCENT_OF_MANY = 60;
/** Than V8 does by itself: under the load of the soak the code takes less memory then, and no more CPU. */
const OPTIMIZE_TIMES_LATER = 15;
/** By then what runs often is optimized. Of the rest, only what has taken some twenty seconds of CPU is worth the memory. */
const WARM_MS = 20 * 60_000;
const OPTIMIZE_TIMES_LATER_WARM = 6_000;
const LOOK_MS = 500;
/** A history that cannot be read to its end must not leave the heap as it is. */
const LONGEST_MS = 15 * 60_000;

/** What is left of a history lies on pages that are mostly empty. They are moved together for so long, which holds up requests. */
const COMPACT_MS = 5 * 60_000;

/**
 * From now on garbage is collected before the heap has grown by a tenth, and what is left on pages that are partly empty
 * is moved together, so that little memory is held that is not used. To be called once the process runs: while a start reads
 * its state, hardly anything is garbage, and a collection for each tenth would take much of its time.
 *
 * With many accounts this begins once `isRead`, or after a while in any case, and the heap may grow by six tenths: for some
 * tenths of a second of each collection requests wait longer, and so they are less than one in a hundred. Where that was not
 * so from the start on, pages are moved together for some minutes. Returns how to give up whatever has not begun yet.
 */
export function boundHeap(
  isRead: () => boolean,
  accounts: number,
  { warmMs = WARM_MS, compactMs = COMPACT_MS } = {},
): () => void {
  return accounts > MANY_ACCOUNTS ? boundOfMany(isRead, compactMs) : boundOfFew(warmMs);
}

function boundOfFew(warmMs: number): () => void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString('--optimize-for-size');
  optimizeLater(OPTIMIZE_TIMES_LATER);
  const warming = setTimeout(() => optimizeLater(OPTIMIZE_TIMES_LATER_WARM), warmMs).unref();
  return () => clearTimeout(warming);
}

function boundOfMany(isRead: () => boolean, compactMs: number): () => void {
  const bound = () => setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT_OF_MANY}`);
  if (isRead()) {
    bound();
    return () => undefined;
  }
  const startedAt = performance.now();
  let compacting: NodeJS.Timeout | undefined;
  const looking = setInterval(() => {
    if (!isRead() && performance.now() - startedAt < LONGEST_MS) return;
    clearInterval(looking);
    bound();
    setFlagsFromString('--optimize-for-size');
    compacting = setTimeout(() => setFlagsFromString('--no-optimize-for-size'), compactMs).unref();
  }, LOOK_MS);
  return () => {
    clearInterval(looking);
    clearTimeout(compacting);
  };
}
