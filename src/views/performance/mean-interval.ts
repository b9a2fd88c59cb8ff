const ROUNDS = 1_000;
/** The means of more events have a normal distribution, whose interval takes a thousandth of the time. */
const MOST_RESAMPLED = 1_000;
/** Standard errors on each side of a normal mean that hold 95 %. */
const NORMAL_95 = 1.96;
/** Values that are drawn or looked at in one step: a fraction of a ms. */
const PER_STEP = 20_000;

type Ends = readonly [low: number, high: number];

/**
 * The 95 % interval of the mean of one value per event, by resampling events while they are few. It then gives the digits
 * of `bootstrapInterval` but makes no lists, and takes small steps, as it runs on the thread that answers requests. Null
 * with fewer than two events.
 */
export function* meanInterval(events: readonly number[]): Generator<void, Ends | null> {
  const n = events.length;
  if (n < 2) return null;
  if (n > MOST_RESAMPLED) return normalInterval(events);
  const values = Float64Array.from(events);
  const means = new Float64Array(ROUNDS);
  const drawn = yield* drawsOf(n);
  const roundsPerStep = Math.ceil(PER_STEP / n);
  for (let from = 0; from < ROUNDS; from += roundsPerStep) {
    yield;
    sumRounds(values, drawn, means, from, Math.min(ROUNDS, from + roundsPerStep));
  }
  means.sort();
  const at = (share: number) => means[Math.floor(share * (ROUNDS - 1))] ?? 0;
  return [at(0.025), at(0.975)];
}

/** Fills in the means of some rounds. */
function sumRounds(
  values: Float64Array,
  drawn: Uint32Array,
  means: Float64Array,
  from: number,
  end: number,
): void {
  const n = values.length;
  for (let round = from; round < end; round++) {
    let sum = 0;
    for (let draw = round * n; draw < (round + 1) * n; draw++) sum += values[drawn[draw] ?? 0] ?? 0;
    means[round] = sum / n;
  }
}

function normalInterval(events: readonly number[]): Ends {
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
function* drawsOf(n: number): Generator<void, Uint32Array> {
  if (lastDraws.length === ROUNDS * n) return lastDraws;
  const draws = new Uint32Array(ROUNDS * n);
  for (let from = 0; from < draws.length; from += PER_STEP) {
    yield;
    draw(draws, n, from, Math.min(draws.length, from + PER_STEP));
  }
  lastDraws = draws;
  return draws;
}

/** Fills in some of the draws: each is a hash of its place. */
function draw(draws: Uint32Array, n: number, from: number, end: number): void {
  for (let index = from; index < end; index++) {
    const state = (1 + Math.imul(index + 1, 0x9e3779b9)) | 0;
    let h = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    draws[index] = Math.floor((((h ^ (h >>> 16)) >>> 0) / 4_294_967_296) * n);
  }
}
