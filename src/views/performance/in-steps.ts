/** What is looked at in one step: a fraction of a ms. */
const PER_STEP = 1_000;

/** The items in parts of one step each, so that a computation over many of them can pause between two. */
export function* partsOf<Item>(items: readonly Item[], size = PER_STEP): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/** As a stable sort, in small steps. */
export function* sortedInSteps<Item>(
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
      longer.push(yield* merged(first, second, compare));
    runs = longer;
  }
  return runs[0] ?? [];
}

function* merged<Item>(
  first: readonly Item[],
  second: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Generator<void, readonly Item[]> {
  const all: Item[] = [];
  let place = 0;
  for (const part of partsOf(first)) {
    yield;
    for (const item of part) {
      for (
        let other = second[place];
        other !== undefined && compare(other, item) < 0;
        other = second[++place]
      )
        all.push(other);
      all.push(item);
    }
  }
  for (const part of partsOf(second.slice(place))) {
    yield;
    all.push(...part);
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
