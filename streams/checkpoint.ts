import { emptyState, type GraphState } from './graph.ts';

/** A graph's state as text, and back. Maps and sets are marked, everything else is plain JSON. */

export function encodeState(state: GraphState): string {
  return JSON.stringify(state, (_key, value: unknown) => {
    if (value instanceof Map) return { $map: [...value] };
    if (value instanceof Set) return { $set: [...value] };
    return value;
  });
}

export function decodeState(text: string): GraphState {
  const state: Partial<GraphState> = JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    if ('$map' in value && Array.isArray(value.$map)) return new Map(value.$map);
    if ('$set' in value && Array.isArray(value.$set)) return new Set(value.$set);
    return value;
  });
  return { ...emptyState(), ...state };
}
