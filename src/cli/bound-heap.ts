import { setFlagsFromString } from 'node:v8';

/**
 * From now on garbage is collected before the heap has grown by a tenth, and what is left on pages that are partly empty
 * is moved together, so that little memory is held that is not used. To be called once the process runs: while a start reads
 * its state, hardly anything is garbage, and a collection for each tenth would take much of its time.
 *
 * A function is compiled to optimised code after four times the work that V8 would wait for by itself (its own budget is
 * 67,584 bytes of bytecode): what is called some times a minute would otherwise be optimised one by one for hours, and that
 * code never goes away.
 */
export function boundHeap(): void {
  setFlagsFromString('--heap-growing-percent=10');
  setFlagsFromString('--optimize-for-size');
  setFlagsFromString('--interrupt-budget=270336');
}
