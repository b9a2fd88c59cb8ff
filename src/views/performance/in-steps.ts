/** What is looked at in one step: a fraction of a ms. */
const PER_STEP = 1_000;
/** Of events, each of which has a few forecasts with several scores. */
export const EVENTS_PER_STEP = 250;
/** Of forecasts whose buckets are looked at, of which each has dozens. */
export const FORECASTS_PER_STEP = 100;

/** The items in parts of one step each, so that a computation over many of them can pause between two. */
export function* partsOf<Item>(items: readonly Item[], size = PER_STEP): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/** As a stable sort, in small steps. */
export function* sortedInSteps<Item extends NonNullable<unknown>>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Generator<void, readonly Item[]> {
  let runs: (readonly Item[])[] = [];
  for (const part of partsOf(items)) {
    runs.push([...part].sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const longer: (readonly Item[])[] = [];
    for (const [first = [], second = []] of partsOf(runs, 2))
      longer.push(yield* mergedRuns(first, second, compare));
    runs = longer;
  }
  return runs[0] ?? [];
}

function* mergedRuns<Item extends NonNullable<unknown>>(
  first: readonly Item[],
  second: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Generator<void, readonly Item[]> {
  const all: Item[] = [];
  let [one, other] = [0, 0];
  while (all.length < first.length + second.length) {
    if (all.length % PER_STEP === 0) yield;
    const [a, b] = [first[one], second[other]];
    const isSecond = a === undefined || (b !== undefined && compare(b, a) < 0);
    const next = isSecond ? b : a;
    if (next === undefined) break;
    all.push(next);
    if (isSecond) other += 1;
    else one += 1;
  }
  return all;
}

/** The items of each event, in the order in which the events come first. In small steps. */
export function* byEvent<Item>(
  items: readonly Item[],
  eventIdOf: (item: Item) => number,
): Generator<void, readonly (readonly Item[])[]> {
  const events = new Map<number, Item[]>();
  for (const part of partsOf(items)) {
    yield;
    for (const item of part) {
      const event = events.get(eventIdOf(item));
      if (event === undefined) events.set(eventIdOf(item), [item]);
      else event.push(item);
    }
  }
  return [...events.values()];
}
