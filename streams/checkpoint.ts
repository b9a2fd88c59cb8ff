import { emptyState, type GraphState } from './graph.ts';
import { type JoinedEvents, splitEvents } from './pipelines/events.ts';

/** The state as JSON, in which a map is `{ $map: entries }` and a set `{ $set: values }`. */
export function encodeState(state: GraphState): string {
  return [...encodeStateParts(state)].join('');
}

/**
 * The same text in parts, one for each actor. The state must not change before the last part is taken, but other work
 * can be done in between.
 */
export function* encodeStateParts(state: GraphState): Iterable<string> {
  let before = '{';
  for (const [name, states] of Object.entries(state)) {
    before += `${JSON.stringify(name)}:{"$map":[`;
    for (const [key, actor] of states) {
      yield `${before}[${JSON.stringify(key)},${JSON.stringify(withoutCollections(actor))}]`;
      before = ',';
    }
    before = `${before === ',' ? '' : before}]},`;
  }
  yield `${before.slice(0, -1)}}`;
}

/** The value itself where it holds no map or set, so that little is copied. */
function withoutCollections(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Map) return { $map: Array.from(value, withoutCollections) };
  if (value instanceof Set) return { $set: [...value] };
  if (Array.isArray(value)) {
    let copy: unknown[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const each: unknown = value[index];
      const plain = typeof each === 'object' ? withoutCollections(each) : each;
      if (plain === each) continue;
      copy ??= [...value];
      copy[index] = plain;
    }
    return copy ?? value;
  }
  let copy: Record<string, unknown> | undefined;
  for (const [key, field] of Object.entries(value)) {
    const plain = withoutCollections(field);
    if (plain === field) continue;
    copy ??= { ...value };
    copy[key] = plain;
  }
  return copy ?? value;
}

export function decodeState(text: string): GraphState {
  const state = withCollections(JSON.parse(text)) as Partial<GraphState>;
  return { ...emptyState(), ...state, ...(state.events && { events: eventsByAccount(state.events) }) };
}

/** Changes the value in place where it can. A function for each value, as `JSON.parse` offers it, takes ten times as long. */
function withCollections(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const each: unknown = value[index];
      if (typeof each === 'object') value[index] = withCollections(each);
    }
    return value;
  }
  if ('$map' in value && Array.isArray(value.$map)) return new Map(value.$map.map(entryOf));
  if ('$set' in value && Array.isArray(value.$set)) return new Set(value.$set);
  for (const [key, field] of Object.entries(value)) {
    if (typeof field === 'object') Reflect.set(value, key, withCollections(field));
  }
  return value;
}

function entryOf([key, value]: readonly [unknown, unknown]): readonly [unknown, unknown] {
  return [key, withCollections(value)];
}

/** Checkpoints of earlier versions hold the events of all accounts as one. */
function eventsByAccount(states: GraphState['events']): GraphState['events'] {
  const all: JoinedEvents | null | undefined = states.get('all');
  return all == null ? states : splitEvents(all);
}
