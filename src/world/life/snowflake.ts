import { hash32, type Part } from '../rng.ts';

const EPOCH_MS = 1_288_834_974_657n;

/** A post id whose upper bits hold `createdAt`; the lower 22 bits come from `parts`. */
export function snowflake(createdAt: number, ...parts: readonly Part[]): string {
  const low = BigInt(hash32(createdAt, ...parts) & 0x3fffff);
  return (((BigInt(createdAt) - EPOCH_MS) << 22n) | low).toString();
}

/** The instant inside an id, in UTC ms. */
export function createdAtOf(id: string): number {
  return Number((BigInt(id) >> 22n) + EPOCH_MS);
}
