import assert from 'node:assert/strict';
import { isCounted } from '../../src/access/gate.ts';
import { callEndpoint, type ServedEndpoint, withRequired } from './call-endpoint.ts';
import { contentOfEveryEndpoint } from './content.ts';
import { json, type Running, start } from './start.ts';

/** Spec 4 and 5, and which endpoints count (spec 8). */
const SPECIFIED = [
  ['GET', '/meta/account_a', 'public', true],
  ['GET', '/meta/account_b', 'public', true],
  ['GET', '/meta/crypto', 'public', false],
  ['GET', '/meta/account_a/tweets', 'tiered', true],
  ['GET', '/meta/account_b/tweets', 'tiered', true],
  ['GET', '/prediction/account_a', 'tiered', true],
  ['GET', '/prediction/account_b', 'tiered', true],
  ['GET', '/signals/account_a', 'PRO', true],
  ['GET', '/signals/account_b', 'PRO', true],
  ['GET', '/portfolio/account_a', 'PRO', true],
  ['GET', '/portfolio/account_a/rebalancing', 'PRO', true],
  ['GET', '/portfolio/account_b', 'PRO', true],
  ['GET', '/health', 'open', false],
  ['POST', '/waitlist', 'public', false],
  ['GET', '/performance/overview', 'public', false],
  ['GET', '/performance/history', 'public', false],
  ['GET', '/usage/summary', 'INTERNAL', true],
  ['GET', '/usage/by-endpoint', 'INTERNAL', true],
  ['GET', '/usage/errors', 'INTERNAL', true],
  ['GET', '/usage/stats', 'INTERNAL', true],
] as const;

/** What only PRO callers see (spec 2.4, 2.5 and 2.6), with the fields beyond it. */
const PRO_FIELDS: ReadonlySet<string> = new Set([
  'sleep_probability',
  'velocity_counted_1h',
  'velocity_all_1h',
  'forecast',
  'settlement',
  'forecast_id',
  'distribution',
  'model_prob',
  'edge',
  'signal',
  'signals',
  'kelly_fraction',
  'suggested_bet',
  'positions',
  'adjustments',
]);

/** The name of every field in a JSON value, with `is_counted` told by its value. */
function fieldsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(fieldsOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    name === 'is_counted' ? `is_counted ${inner === null ? 'null' : 'known'}` : name,
    ...fieldsOf(inner),
  ]);
}

const KEYS = { none: undefined, free: 'demo_free', pro: 'demo_pro', internal: 'demo_internal' } as const;

describe('access', () => {
  let running: Running;
  before(async () => {
    running = await start({ loaded: contentOfEveryEndpoint() });
  });
  after(() => running.stop());

  const endpoints = () => running.app.endpoints;
  const keyed = (key: string | undefined) => (key === undefined ? {} : { 'X-API-Key': key });
  const isFree = ({ access }: ServedEndpoint) => access === 'open' || access === 'public';
  const withQuery = (endpoint: ServedEndpoint) => ({ ...endpoint, path: withRequired(endpoint.path) });

  it('is for whom the specification says, and counts what it says', () => {
    const found = endpoints().map((endpoint) => [
      endpoint.method,
      endpoint.path.replace('/api/v1', ''),
      endpoint.access,
      isCounted(endpoint),
    ]);
    for (const row of SPECIFIED) {
      assert.deepEqual(
        found.filter(([method, path]) => method === row[0] && path === row[1]),
        [row],
      );
    }
  });

  it('counts nothing beyond the specification but the history of events and alerts, and keeps only the metrics for the operator', () => {
    const specified = new Set<string>(SPECIFIED.map(([, path]) => `/api/v1${path}`));
    const isHistory = (path: string) => path.endsWith('/{event}');
    const isAlerts = (path: string) => path.startsWith('/api/v1/alerts');
    for (const endpoint of endpoints().filter(({ path }) => isAlerts(path))) {
      assert.deepEqual([isFree(endpoint), isCounted(endpoint)], [false, true], endpoint.path);
    }
    const others = endpoints().filter(
      ({ path }) => !specified.has(path) && !isHistory(path) && !isAlerts(path),
    );
    for (const endpoint of others) {
      const isForAll = endpoint.path !== '/metrics';
      assert.deepEqual([isFree(endpoint), isCounted(endpoint)], [isForAll, false], endpoint.path);
    }
  });

  it('lets each key in at every endpoint where it is enough, and nowhere else', async () => {
    const allowed = {
      open: ['none', 'free', 'pro', 'internal'],
      public: ['none', 'free', 'pro', 'internal'],
      tiered: ['none', 'free', 'pro', 'internal'],
      PRO: ['pro', 'internal'],
      INTERNAL: ['internal'],
    } as const;
    for (const endpoint of endpoints()) {
      for (const [name, key] of Object.entries(KEYS)) {
        const response = await callEndpoint(running, withQuery(endpoint), keyed(key));
        const isAllowed = allowed[endpoint.access].some((each) => each === name);
        assert.equal(
          response.status === 401,
          !isAllowed,
          `${endpoint.path} with ${name}: ${response.status}`,
        );
        assert.ok(
          response.status < 500 || endpoint.path.endsWith('/health'),
          `${endpoint.path} ${response.status}`,
        );
        if (isAllowed) continue;
        assert.equal((await json(response)).code, key === undefined ? 'key_missing' : 'tier_too_low');
        assert.ok(response.headers.get('www-authenticate'));
      }
    }
  });

  it('ignores a key at health, the documents and the pages alone', () => {
    const open = endpoints().filter(({ access }) => access === 'open');
    assert.deepEqual(
      open.map(({ path }) => path).filter((path) => path.startsWith('/api/v1')),
      ['/api/v1/health', '/api/v1/openapi.json', '/api/v1/asyncapi.json'],
    );
  });

  it('refuses a key nobody knows, of whatever form, wherever it is not ignored', async () => {
    const wrong = [
      'nobody',
      'tw_pro_000000000000000000000000000000',
      'x'.repeat(4_000),
      'demo_pro, demo_pro',
    ];
    for (const endpoint of endpoints()) {
      // Only so many such keys a minute are answered with 401.
      running.clock.now += 60_000;
      for (const key of wrong) {
        const response = await callEndpoint(running, withQuery(endpoint), { 'X-API-Key': key });
        assert.equal(
          response.status === 401,
          endpoint.access !== 'open',
          `${endpoint.path} ${response.status}`,
        );
        if (response.status === 401) assert.equal((await json(response)).code, 'key_invalid');
      }
    }
  });

  it('shows no PRO field to anyone below PRO, in any answer of any endpoint', async () => {
    const seenByPro = new Set<string>();
    // The two documents describe every field and tell the value of none.
    const hasRecords = ({ path }: { readonly path: string }) =>
      path.startsWith('/api/v1') && !/\/(openapi|asyncapi)\.json$/.test(path);
    for (const endpoint of endpoints().filter(hasRecords)) {
      for (const [name, key] of Object.entries(KEYS)) {
        for (const target of [endpoint, withQuery(endpoint)]) {
          const response = await callEndpoint(running, target, keyed(key));
          const fields = fieldsOf(await response.json());
          const shown = fields.filter((field) => PRO_FIELDS.has(field) || field === 'is_counted known');
          if (name === 'none' || name === 'free')
            assert.deepEqual(shown, [], `${endpoint.path} with ${name}`);
          else for (const field of shown) seenByPro.add(field);
          if (name === 'pro' || name === 'internal')
            assert.ok(!fields.includes('is_counted null'), endpoint.path);
        }
      }
    }
    // Else nothing would have been looked at.
    const expected = [
      'sleep_probability',
      'forecast',
      'settlement',
      'model_prob',
      'edge',
      'signals',
      'positions',
      'is_counted known',
    ];
    assert.deepEqual(
      expected.filter((field) => !seenByPro.has(field)),
      [],
    );
  });

  it('lets no page of another site read what is INTERNAL, nor ask', async () => {
    const origin = { Origin: 'https://site.invalid' };
    for (const endpoint of endpoints().filter(({ path }) => path.startsWith('/api/v1'))) {
      const isOpen = endpoint.access !== 'INTERNAL';
      for (const key of [undefined, 'demo_internal', 'nobody']) {
        const { headers } = await callEndpoint(running, endpoint, { ...origin, ...keyed(key) });
        assert.equal(headers.get('access-control-allow-origin'), isOpen ? '*' : null, endpoint.path);
        assert.equal(headers.has('access-control-expose-headers'), isOpen);
      }
      const preflight = await fetch(running.url + endpoint.path, { method: 'OPTIONS', headers: origin });
      assert.equal(preflight.headers.has('access-control-allow-origin'), isOpen);
      assert.equal(preflight.headers.has('access-control-allow-headers'), isOpen);
      assert.ok(preflight.headers.get('allow')?.includes(endpoint.method));
    }
  });
});
