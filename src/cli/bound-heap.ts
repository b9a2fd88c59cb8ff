import { setFlagsFromString } from 'node:v8';

const LOOK_MS = 500;
/** A history that cannot be read to its end must not leave the heap as it is. */
const LONGEST_MS = 15 * 60_000;

/**
 * Bounds the heap once `isRead`, or after a while in any case. What is read at a first start makes the heap grow by many
 * tenths, and a collection for each of them took a fifth of the time of that. Returns how to give it up.
 */
export function boundHeapOnce(isRead: () => boolean, accounts: number): () => void {
  const startedAt = performance.now();
  const look = () => {
    if (!isRead() && performance.now() - startedAt < LONGEST_MS) return;
    clearInterval(looking);
    boundHeap(accounts);
  };
  const looking = setInterval(look, LOOK_MS);
  look();
  return () => clearInterval(looking);
}

/** From here on a tenth of the heap is more than what it saves is worth: each collection looks through all of it. */
const MANY_ACCOUNTS = 20;
const GROWTH_PERCENT = 10;
const GROWTH_PERCENT_OF_MANY = 30;

/**
 * From now on garbage is collected before the heap has grown by a tenth (with many accounts three tenths), and what is left
 * on pages that are partly empty is moved together, so that little memory is held that is not used. To be called once the
 * process runs: while a start reads its state, hardly anything is garbage, and a collection for each tenth would take much of
 * its time.
 *
 * A function is compiled to optimised code after four times the work that V8 would wait for by itself (its own budget is
 * 67,584 bytes of bytecode): what is called some times a minute would otherwise be optimised one by one for hours, and that
 * code never goes away.
 */
function boundHeap(accounts: number): void {
  const percent = accounts > MANY_ACCOUNTS ? GROWTH_PERCENT_OF_MANY : GROWTH_PERCENT;
  setFlagsFromString(`--heap-growing-percent=${percent}`);
  setFlagsFromString('--optimize-for-size');
  setFlagsFromString('--interrupt-budget=270336');
}
