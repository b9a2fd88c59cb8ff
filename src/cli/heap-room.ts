import { getHeapStatistics } from 'node:v8';

const MEGABYTE = 2 ** 20;
/** Once all of its past events are read an account takes up to 3, and garbage is collected when the heap has grown by a third. */
const MEGABYTES_PER_ACCOUNT = 4;

/** What an operator is told where so many accounts may take more memory than Node allows; undefined where they do not. */
export function heapRoomDoubt(
  accounts: number,
  limitBytes = getHeapStatistics().heap_size_limit,
): string | undefined {
  const neededMb = accounts * MEGABYTES_PER_ACCOUNT;
  const allowedMb = Math.floor(limitBytes / MEGABYTE);
  if (neededMb <= allowedMb) return undefined;
  return `${accounts} accounts may take ${neededMb} MB of heap and Node allows ${allowedMb}: run node with --max-old-space-size=${neededMb}`;
}
