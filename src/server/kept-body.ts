import type { ServerResponse } from 'node:http';

/** Responses whose body is one Buffer that is kept for all who ask. */
const responses = new WeakSet<ServerResponse>();

/** Says that the body of a response is kept for as long as the process runs, so that sending it takes no memory. */
export function markKeptBody(res: ServerResponse): void {
  responses.add(res);
}

export function hasKeptBody(res: ServerResponse): boolean {
  return responses.has(res);
}
