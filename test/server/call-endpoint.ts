import { OPERATIONS } from '../../src/contract/operations.ts';
import { ACCOUNTS } from '../support/accounts.ts';
import { routesOf } from '../support/routes.ts';
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
    running.url + path.replace('{event}', '1'),
    method === 'POST' ? { method, headers: json, body: '{}' } : { method, headers },
  );
}

const VALUES: Readonly<Record<string, string>> = {
  wallet: `0x${'1'.repeat(40)}`,
  bankroll: '1000',
  start: '0',
  end: '9999999999',
  id: 'none',
};

/** The path with every parameter that its endpoint requires. */
export function withRequired(path: string, method?: ServedEndpoint['method']): string {
  const route = routesOf(OPERATIONS, ACCOUNTS).find(
    (each) => each.path === path && (method === undefined || each.operation.method === method.toLowerCase()),
  );
  const required = Object.entries(route?.query?.shape ?? {}).filter(
    ([, schema]) => !schema.safeParse(undefined).success,
  );
  const query = required.flatMap(([name]) => (VALUES[name] === undefined ? [] : `${name}=${VALUES[name]}`));
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}
