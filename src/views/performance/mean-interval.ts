const ROUNDS = 1_000;
/** The means of more events have a normal distribution, whose interval takes a thousandth of the time. */
const MOST_RESAMPLED = 1_000;
/** Standard errors on each side of a normal mean that hold 95 %. */
const NORMAL_95 = 1.96;

/**
 * The 95 % interval of the mean of one value per event, by resampling events while they are few. It then gives the digits
 * of `bootstrapInterval` but makes no lists, as it runs on the thread that answers requests. Null with fewer than two
 * events.
 */
export function meanInterval(events: readonly number[]): readonly [low: number, high: number] | null {
  const n = events.length;
  if (n < 2) return null;
  if (n > MOST_RESAMPLED) return normalInterval(events);
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

function normalInterval(events: readonly number[]): readonly [low: number, high: number] {
  const n = events.length;
  let sum = 0;
  for (const value of events) sum += value;
  const mean = sum / n;
  let squares = 0;
  for (const value of events) squares += (value - mean) ** 2;
  const margin = NORMAL_95 * Math.sqrt(squares / (n - 1) / n);
  return [mean - margin, mean + margin];
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
