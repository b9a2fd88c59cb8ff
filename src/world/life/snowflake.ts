import { hash32, type Part } from '../rng.ts';

const EPOCH_MS = 1_288_834_974_657n;

const PLACE_SHIFT = 12;

/** A post id whose upper bits hold `createdAt`; the lower 22 bits come from `parts`. */
export function snowflake(createdAt: number, ...parts: readonly Part[]): string {
  return withLow(createdAt, hash32(createdAt, ...parts) & 0x3fffff);
}

/** The id of a post that an account makes by itself: its place, below 1,024, has the upper ten of the lower bits. */
export function ownSnowflake(createdAt: number, place: number, ...parts: readonly Part[]): string {
  return withLow(createdAt, (place << PLACE_SHIFT) | (hash32(createdAt, place, ...parts) & 0xfff));
}

function withLow(createdAt: number, low: number): string {
  return (((BigInt(createdAt) - EPOCH_MS) << 22n) | BigInt(low)).toString();
}

/** The place of the account that made a post with this id, if an account made it by itself. */
export function placeOf(id: string): number {
  return Number((BigInt(id) >> BigInt(PLACE_SHIFT)) & 0x3ffn);
}

/** The instant inside an id, in UTC ms. */
export function createdAtOf(id: string): number {
  return Number((BigInt(id) >> 22n) + EPOCH_MS);
}
