import { BusError } from '../bus-error.ts';

/** Earlier ones may acknowledge what they have not brought to the disk, or lose it when their leader changes. */
const OLDEST = [2, 10, 23] as const;

export function isOldServer(version: string): boolean {
  const [, ...numbers] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  if (numbers.length < OLDEST.length) return true;
  const index = OLDEST.findIndex((oldest, at) => Number(numbers[at]) !== oldest);
  return index >= 0 && Number(numbers[index]) < (OLDEST[index] ?? 0);
}

export function oldServerError(version: string): BusError {
  return new BusError(
    'BUS_SERVER_OLD',
    `the NATS server is version ${version}, and an engine that may have a standby needs ${OLDEST.join('.')} or later`,
  );
}
