const ROUNDS = 1_000;

/**
 * The 95 % interval of the mean of one value per event, by resampling events. It gives the digits of
 * `bootstrapInterval` but makes no lists, as it runs on the thread that answers requests. Null with fewer than two
 * events.
 */
export function meanInterval(events: readonly number[]): readonly [low: number, high: number] | null {
  const n = events.length;
  if (n < 2) return null;
  const values = Float64Array.from(events);
  const means = new Float64Array(ROUNDS);
  const drawn = drawsOf(n);
  for (let round = 0, draw = 0; round < ROUNDS; round++) {
    let sum = 0;
    for (const end = draw + n; draw < end; draw++) sum += values[drawn[draw] ?? 0] ?? 0;
    means[round] = sum / n;
  }
  means.sort();
  const at = (share: number) => means[Math.floor(share * (ROUNDS - 1))] ?? 0;
  return [at(0.025), at(0.975)];
}

let lastDraws = new Uint32Array(0);

/** The events drawn in each round. They are cached, as most measures of a group have the same number of events. */
function drawsOf(n: number): Uint32Array {
  if (lastDraws.length === ROUNDS * n) return lastDraws;
  const draws = new Uint32Array(ROUNDS * n);
  let state = 1;
  for (let index = 0; index < draws.length; index++) {
    state = (state + 0x9e3779b9) | 0;
    let h = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    draws[index] = Math.floor((((h ^ (h >>> 16)) >>> 0) / 4_294_967_296) * n);
  }
  lastDraws = draws;
  return draws;
}
