import { emptyState, type GraphState } from './graph.ts';
import { splitEvents } from './pipelines/events.ts';

/** The state as JSON, in which a map is `{ $map: entries }` and a set `{ $set: values }`. */
export function encodeState(state: GraphState): string {
  return JSON.stringify(state, replaceCollections);
}

/** The same text as UTF-8, encoded pipeline by pipeline: one string of it all would take several times the memory. */
export function encodeStateBytes(state: GraphState): Uint8Array {
  const encoder = new TextEncoder();
  const pieces = Object.entries(state).map(([name, states], index) =>
    encoder.encode(
      `${index === 0 ? '{' : ','}${JSON.stringify(name)}:${JSON.stringify(states, replaceCollections)}`,
    ),
  );
  pieces.push(encoder.encode('}'));
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function replaceCollections(_key: string, value: unknown): unknown {
  if (value instanceof Map) return { $map: [...value] };
  if (value instanceof Set) return { $set: [...value] };
  return value;
}

export function decodeState(text: string): GraphState {
  const state: Partial<GraphState> = JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    if ('$map' in value && Array.isArray(value.$map)) return new Map(value.$map);
    if ('$set' in value && Array.isArray(value.$set)) return new Set(value.$set);
    return value;
  });
  return { ...emptyState(), ...state, ...(state.events && { events: eventsByAccount(state.events) }) };
}

/** Checkpoints of earlier versions hold the events of all accounts as one. */
function eventsByAccount(states: GraphState['events']): GraphState['events'] {
  const all = states.get('all');
  return all == null ? states : splitEvents(all);
}
