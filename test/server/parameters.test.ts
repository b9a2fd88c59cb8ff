import assert from 'node:assert/strict';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { PARAMETER_NAMES } from '../../src/contract/parameter-names.ts';
import { ACCOUNTS } from '../support/accounts.ts';
import { NOON } from '../support/outputs.ts';
import { routesOf } from '../support/routes.ts';
import { callEndpoint, withRequired } from './call-endpoint.ts';
import { contentOfEveryEndpoint } from './content.ts';
import { json, type Running, start } from './start.ts';

const INTERNAL = { 'X-API-Key': 'demo_internal' };
const fault = (name: string) => ({
  loc: ['query', name],
  msg: 'Extra inputs are not permitted',
  type: 'extra_forbidden',
});

describe('parameters of other endpoints', () => {
  let running: Running;
  before(async () => {
    running = await start({ loaded: contentOfEveryEndpoint() });
  });
  after(() => running.stop());

  /** The routes whose query is looked at, each with the names that it does not take. */
  const routes = routesOf(OPERATIONS, ACCOUNTS).flatMap(({ path, operation, query }) => {
    // The feed itself reads the query of a stream; every other request for it is a 426.
    if (query === undefined || path.endsWith('/feed')) return [];
    const foreign = [...PARAMETER_NAMES].filter((name) => !Object.hasOwn(query.shape, name));
    const method = ({ get: 'GET', post: 'POST', delete: 'DELETE' } as const)[operation.method];
    return [{ path, method, foreign } as const];
  });

  it('are refused by every endpoint of the interface, each with its name', async () => {
    assert.equal(new Set(routes.map(({ path, method }) => `${method} ${path}`)).size, 30);
    for (const { path, method, foreign } of routes) {
      const target = withRequired(path, method);
      for (const name of foreign) {
        const asked = `${target}${target.includes('?') ? '&' : '?'}${name}=1`;
        const response = await callEndpoint(running, { path: asked, method }, INTERNAL);
        assert.equal(response.status, 422, asked);
        const { detail } = await json(response);
        assert.ok(Array.isArray(detail));
        assert.deepEqual(
          detail.filter(({ loc }) => loc[0] === 'query'),
          [fault(name)],
          asked,
        );
      }
    }
  });

  it('are listed with every other fault, after those of the own parameters', async () => {
    const path = '/api/v1/meta/account_a/tweets?wallet=x&limit=0&%62ankroll=5&wallet=y&offset=a';
    const { detail } = await json(await running.get(path));
    assert.ok(Array.isArray(detail));
    assert.deepEqual(
      detail.map(({ loc, type }) => [loc[1], type]),
      [
        ['limit', 'greater_than_equal'],
        ['offset', 'int_parsing'],
        ['wallet', 'extra_forbidden'],
        ['bankroll', 'extra_forbidden'],
      ],
    );
  });

  it('are listed before the faults of a body', async () => {
    const path = '/api/v1/waitlist?limit=5';
    const { detail } = await json(await callEndpoint(running, { path, method: 'POST' }));
    assert.ok(Array.isArray(detail));
    assert.deepEqual(
      detail.map(({ loc }) => loc),
      [
        ['query', 'limit'],
        ['body', 'type'],
        ['body', 'case'],
      ],
    );
  });

  it('are looked at after the key and the limit', async () => {
    assert.equal((await running.get('/api/v1/signals/account_a?wallet=1')).status, 401);
    assert.equal((await running.get('/api/v1/meta/crypto?as_of=1', { 'X-API-Key': 'nobody' })).status, 401);
  });

  it('make no difference to documents and pages', async () => {
    for (const path of ['/api/v1/openapi.json', '/docs', '/', '/livez']) {
      assert.equal((await fetch(`${running.url}${path}?as_of=1&limit=0`)).status, 200, path);
    }
  });

  it('are told from names that no endpoint knows, which are ignored', async () => {
    running.clock.now = NOON;
    for (const { path, method } of routes.filter(({ method }) => method === 'GET')) {
      const target = withRequired(path);
      const asked = `${target}${target.includes('?') ? '&' : '?'}_=1&As_Of=2&as-of=3&`;
      const { status } = await callEndpoint(running, { path: asked, method }, INTERNAL);
      assert.ok(status === 200 || path.endsWith('/health'), `${asked} ${status}`);
    }
  });
});
