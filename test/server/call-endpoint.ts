import type { Running } from './start.ts';

export type ServedEndpoint = Running['app']['endpoints'][number];

/** Calls an endpoint with as little as passes the gate, with whatever method it has. */
export function callEndpoint(
  running: Running,
  { path, method }: Pick<ServedEndpoint, 'path' | 'method'>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const json = { 'Content-Type': 'application/json', ...headers };
  return fetch(
    running.url + path,
    method === 'POST' ? { method, headers: json, body: '{}' } : { method, headers },
  );
}

/** Parameters that every endpoint with required ones takes; others ignore them. */
export const QUERY = `?wallet=0x${'1'.repeat(40)}&bankroll=1000&start=0&end=9999999999`;
