/** Whole numbers below 2^32 that depend on the seed only. */
export function createDraw(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    const h = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    const k = Math.imul(h ^ (h >>> 15), 0x735a2d97);
    return (k ^ (k >>> 15)) >>> 0;
  };
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** 2024-01-01 in UTC. */
export const FIRST_AT = 1_704_067_200_000;

/**
 * Posts of an account that sleeps, has good and bad weeks and posts in bursts, ascending. Made without any function
 * an implementation may round its own way, so that they are the same everywhere.
 */
export function syntheticPosts(days: number, seed = 1): Float64Array {
  const draw = createDraw(seed);
  const posts: number[] = [];
  let level = 2;
  for (let hour = 0; hour < days * 24; hour++) {
    if (hour % 24 === 0) level = Math.min(6, Math.max(0.5, level * (0.7 + (draw() % 61) / 100)));
    const isNight = (hour + 18) % 24 < 8;
    const burst = draw() % 12 === 0 ? 4 : 1;
    const most = Math.floor(level * burst * (isNight ? 0.5 : 2)) + 1;
    const count = draw() % (most + 1);
    for (let post = 0; post < count; post++) posts.push(FIRST_AT + hour * HOUR_MS + (draw() % HOUR_MS));
  }
  return Float64Array.from(posts).sort();
}
