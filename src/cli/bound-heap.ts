import { setFlagsFromString } from 'node:v8';

/** The most accounts with which young objects are few enough for little room. */
const FEW_ACCOUNTS = 20;

/**
 * Keeps the room for young objects at the size it has: it would grow while a start reads its state, and hold memory for
 * good. With many accounts it may grow to the size that Node was started with: what is then made in each second fills the
 * little room hundreds of times, and each time takes long. To be called as soon as the accounts are known.
 */
export function boundYoungSpace(accounts: number): void {
  if (accounts <= FEW_ACCOUNTS) setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * From now on garbage is collected before the heap has grown by a fifth, so that little memory is held that is not used. To
 * be called once the process runs: while a start reads its state, hardly anything is garbage, and a collection for each
 * fifth would take a third of its time.
 */
export function boundHeap(): void {
  setFlagsFromString('--heap-growing-percent=20');
}
