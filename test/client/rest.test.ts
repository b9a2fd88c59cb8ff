import assert from 'node:assert/strict';
import { createClient } from '../../src/client/node.ts';
import { API_PREFIX } from '../../src/contract/api-prefix.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { ACCOUNTS } from '../support/accounts.ts';
import { routesOf } from '../support/routes.ts';

const WALLET = `0x${'1'.repeat(40)}`;

describe('the methods of the client', () => {
  it('send every parameter that their endpoint takes, and no other', async () => {
    const asked: { readonly url: URL; readonly method: string }[] = [];
    const client = createClient({
      url: 'http://service.test',
      fetch: async (url, { method = 'GET' } = {}) => {
        asked.push({ url: new URL(String(url)), method });
        return new Response('{}', { headers: { 'Content-Type': 'application/json' } });
      },
    });
    const past = { as_of: 1 };
    const options = { timeoutMs: 1_000 };
    for (const [index, { segment }] of ACCOUNTS.entries()) {
      await client.history(segment, index + 1, { from: 1, to: 2, step: 60, bucket: '0-19' }, options);
      await client.meta(segment, { ...past, ...options });
      await client.lag(segment, { ...past, ...options });
      await client.prediction(segment, { ...past, ...options });
      await client.tweets(segment, { limit: 1, offset: 2, ...past }, options);
      const sizing = { bankroll: 5, only_with_signals: true, include_unproven: true };
      await client.signals(segment, { ...sizing, ...past }, options);
    }
    await client.portfolio('account_a', { wallet: WALLET, bankroll: 5 }, options);
    await client.portfolio('account_b', { wallet: WALLET }, options);
    await client.rebalancing('account_a', { wallet: WALLET, bankroll: 5, threshold: 6 }, options);
    await client.accounts(options);
    await client.crypto(options);
    await client.health(options);
    await client.joinWaitlist({ type: 'human', case: '', email: 'a@b.co' }, options);
    const one = { account: 'account_a' };
    await client.performance.overview({ ...one, ...options });
    await client.performance.history({ horizon: 24, days: 1, ...one }, options);
    await client.performance.calibration({ ...one, ...options });
    await client.alerts.list(options);
    const target = { type: 'discord', url: 'https://chat.example/x' } as const;
    await client.alerts.add({ account: 'account_a', when: 'edge > 0', target }, options);
    await client.alerts.remove('x', options);
    await client.alerts.dead({ limit: 1 }, options);
    await client.usage.summary({ days: 1 }, options);
    await client.usage.byEndpoint({ start: 1, end: 2 }, options);
    await client.usage.errors({ limit: 1 }, options);
    await client.usage.stats(options);

    const taken = routesOf(OPERATIONS, ACCOUNTS)
      .filter(({ path, operation }) => operation.query !== undefined && path !== `${API_PREFIX}/feed`)
      .map(
        ({ path, operation, query }) =>
          [`${operation.method.toUpperCase()} ${path}`, Object.keys(query?.shape ?? {}).sort()] as const,
      );
    const sent = asked.map(
      ({ url, method }) => [`${method} ${url.pathname}`, [...url.searchParams.keys()].sort()] as const,
    );
    assert.deepEqual(new Map(sent), new Map(taken));
    assert.equal(sent.length, taken.length);
  });
});
