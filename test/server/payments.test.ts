import assert from 'node:assert/strict';
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { ExactEvmSchemeV1 } from '@x402/evm/v1';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { SourceError } from '../../src/errors.ts';
import { eventually } from '../support/eventually.ts';
import { eventOutput } from '../support/outputs.ts';
import { SIGNALS } from '../support/payment-terms.ts';
import { createPayer, headerOf } from '../support/payments.ts';
import { withRequired } from './call-endpoint.ts';
import { openPaymentServer, type PaymentServer } from './payment-server.ts';
import { json, start } from './start.ts';

const PORTFOLIO = withRequired('/api/v1/portfolio/account_a');
const codeOf = async (response: Response) => `${response.status} ${(await json(response)).code}`;

describe('payments over HTTP', () => {
  let server: PaymentServer;
  beforeEach(async () => {
    server = await openPaymentServer();
  });
  afterEach(() => server.close());

  it('offers payment where a key is missing, its tier is too low, or PRO would see more', async () => {
    const { running } = server;
    for (const headers of [{}, { 'X-API-Key': 'demo_free' }]) {
      for (const path of [SIGNALS, PORTFOLIO]) {
        const response = await running.get(path, headers);
        const { detail, code, accepts } = await json(response);
        assert.equal(response.status, 401);
        assert.equal(typeof detail, 'string');
        assert.ok(code === 'key_missing' || code === 'tier_too_low');
        const required = decodePaymentRequiredHeader(response.headers.get('PAYMENT-REQUIRED') ?? '');
        const amount = path === SIGNALS ? '10000' : '50000';
        assert.equal(required.accepts[0]?.amount, amount);
        assert.equal(required.resource.url, new URL(path.split('?')[0] ?? '', running.url).href);
        assert.equal(Object(accepts)[0].maxAmountRequired, amount);
      }
    }
    for (const path of ['/api/v1/prediction/account_a', '/api/v1/meta/account_b/tweets?limit=3']) {
      for (const headers of [{}, { 'X-API-Key': 'demo_free' }]) {
        const response = await running.get(path, headers);
        const required = decodePaymentRequiredHeader(response.headers.get('PAYMENT-REQUIRED') ?? '');
        assert.deepEqual([response.status, required.accepts[0]?.amount], [200, '10000']);
        assert.equal(required.resource.url, new URL(path.split('?')[0] ?? '', running.url).href);
        const { headers: unchanged } = await running.get(path, {
          'If-None-Match': response.headers.get('ETag') ?? '',
        });
        assert.equal(unchanged.get('PAYMENT-REQUIRED'), null);
      }
    }
    const others = await Promise.all([
      running.get('/api/v1/usage/stats'),
      running.get(SIGNALS, { 'X-API-Key': 'nobody' }),
      running.get('/api/v1/prediction/account_a', { 'X-API-Key': 'demo_pro' }),
      running.get('/api/v1/meta/account_a/tweets?limit=0'),
      running.get('/api/v1/meta/account_a'),
    ]);
    for (const { headers } of others) assert.equal(headers.get('PAYMENT-REQUIRED'), null);
  });

  it('serves clients of both versions of the protocol, as they come', async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    const unpaid = await server.running.get(SIGNALS);
    const { accepts, x402Version } = await json(unpaid);
    const [accepted] = decodePaymentRequiredHeader(unpaid.headers.get('PAYMENT-REQUIRED') ?? '').accepts;
    assert.ok(accepted);
    // The clients go by the real time.
    server.clock.now = Date.now();
    const second = await new ExactEvmScheme(account).createPaymentPayload(2, accepted);
    const paid = await server.pay(headerOf({ ...second, accepted }), SIGNALS, 'PAYMENT-SIGNATURE');
    assert.equal(paid.status, 200);
    assert.equal(paid.headers.get('X-PAYMENT-RESPONSE'), null);

    const first = await new ExactEvmSchemeV1(account).createPaymentPayload(
      Number(x402Version),
      Object(accepts)[0],
    );
    const paidFirst = await server.pay(headerOf(first), SIGNALS, 'X-PAYMENT');
    assert.equal(paidFirst.status, 200);
    const receipt = decodePaymentResponseHeader(paidFirst.headers.get('X-PAYMENT-RESPONSE') ?? '');
    assert.equal(receipt.success, true);
    assert.equal(receipt.network, 'base-sepolia');
    assert.equal(receipt.payer?.toLowerCase(), account.address.toLowerCase());
    assert.equal(server.settled(), 2);
  });

  it('serves what PRO sees, once, without touching the hour', async () => {
    await server.close();
    server = await openPaymentServer({}, { limits: { FREE: 1, PRO: 1, INTERNAL: null } });
    const keyed = await server.running.get(SIGNALS, { 'X-API-Key': 'demo_pro' });
    const first = await server.pay(await server.sign());
    const second = await server.pay(await server.sign());
    assert.deepEqual([first.status, second.status], [200, 200]);
    assert.equal(first.headers.get('RateLimit'), null);
    assert.deepEqual((await json(first)).data, (await json(keyed)).data);
    const tiered = '/api/v1/meta/account_a/tweets?limit=3';
    const tweets = await server.pay(await server.sign({ path: '/api/v1/meta/account_a/tweets' }), tiered);
    assert.equal((await json(tweets)).limit, 3);
    // The one free call of the hour is still there.
    assert.equal((await server.running.get(tiered)).status, 200);
    assert.equal((await server.running.get(tiered)).status, 429);
  });

  it('charges no one who holds a key of the tier, nor for what is open', async () => {
    const headers = { x402: headerOf(await server.sign()), 'X-API-Key': 'demo_pro' };
    assert.equal((await server.running.get(SIGNALS, headers)).status, 200);
    assert.equal((await server.running.get('/api/v1/health', { x402: headers.x402 })).status, 503);
    assert.equal((await server.running.get('/api/v1/usage/stats', { x402: headers.x402 })).status, 401);
    const head = await fetch(server.running.url + SIGNALS, {
      method: 'HEAD',
      headers: { x402: headers.x402 },
    });
    assert.equal(head.status, 401);
    assert.equal(server.stand.facilitator.state().verifyCalls, 0);
  });

  it('ignores a payment when payments are off', async () => {
    const off = await start();
    try {
      const response = await off.get(SIGNALS, { x402: headerOf(await server.sign()) });
      assert.equal(response.headers.get('PAYMENT-REQUIRED'), null);
      assert.equal(await codeOf(response), '401 key_missing');
    } finally {
      await off.stop();
    }
  });

  it('settles one of many copies sent at once, and answers the others alike or 409', async () => {
    const payment = await server.sign();
    const responses = await Promise.all(Array.from({ length: 60 }, () => server.pay(payment)));
    const statuses = responses.map(({ status }) => status);
    assert.ok(statuses.includes(200));
    for (const status of statuses) assert.ok(status === 200 || status === 409, String(status));
    assert.equal(server.stand.facilitator.state().settleCalls, 1);
    const again = await server.pay(payment);
    const paid = responses.find(({ status }) => status === 200);
    assert.equal(again.headers.get('PAYMENT-RESPONSE'), paid?.headers.get('PAYMENT-RESPONSE'));
    assert.equal(await again.text(), await paid?.text());
    assert.equal(server.stand.facilitator.state().settleCalls, 1);
  });

  it('takes a payment on one path and query only', async () => {
    const payment = await server.sign();
    const paths = [
      SIGNALS,
      '/api/v1/signals/account_b',
      `${SIGNALS}?bankroll=5`,
      '/api/v1/prediction/account_a',
      '/api/v1/prediction/account_b',
      '/api/v1/meta/account_a/tweets',
    ];
    const first = await Promise.all(paths.map((path) => server.pay(payment, path)));
    const later = await Promise.all(paths.map((path) => server.pay(payment, path)));
    assert.equal(first.filter(({ status }) => status === 200).length, 1);
    assert.equal(later.filter(({ status }) => status === 200).length, 1);
    const refused = await Promise.all(later.filter(({ status }) => status !== 200).map(codeOf));
    assert.deepEqual(new Set(refused), new Set(['402 payment_used']));
    assert.equal(server.settled(), 1);
  });

  it('keeps a nonce for the authorization it came with', async () => {
    const payment = await server.sign();
    assert.equal((await server.pay(payment)).status, 200);
    const { nonce } = payment.payload.authorization;
    const other = await server.sign({ over: { nonce, validAfter: '0' } });
    assert.equal(await codeOf(await server.pay(other)), '402 payment_used');
  });

  it('refuses what comes too late or ends too late', async () => {
    const base = Math.floor(server.clock.now / 1_000);
    const codes: string[] = [];
    for (const left of [-1, 0, 5, 14, 15, 360, 361]) {
      codes.push(
        await codeOf(await server.pay(await server.sign({ over: { validBefore: String(base + left) } }))),
      );
    }
    const no = '402 payment_refused';
    assert.deepEqual(codes, [no, no, no, no, '200 undefined', '200 undefined', no]);
    assert.equal(server.settled(), 2);
  });

  it('goes by its own clock when that steps', async () => {
    const payment = await server.sign();
    server.clock.now -= 61_000;
    assert.equal(await codeOf(await server.pay(payment)), '402 payment_refused');
    server.clock.now += 61_000 + 106_000;
    assert.equal(await codeOf(await server.pay(payment)), '402 payment_refused');
    server.clock.now -= 1_000;
    assert.equal((await server.pay(payment)).status, 200);
    // Whoever paid gets the answer, however late it is by the clock.
    server.clock.now += 300_000;
    assert.equal((await server.pay(payment)).status, 200);
    assert.equal(server.settled(), 1);
  });

  it('takes no money for a call that fails', async () => {
    const spoiled = [
      [`${SIGNALS}?bankroll=0`, 422],
      ['/api/v1/portfolio/account_a', 422],
      ['/api/v1/portfolio/account_a?wallet=x', 400],
    ] as const;
    for (const [path, status] of spoiled) {
      const payment = await server.sign({ path: path.split('?')[0] ?? '' });
      assert.equal((await server.pay(payment, path)).status, status);
      assert.equal(server.deps.payments.marked('open', Number.MAX_SAFE_INTEGER, 9).length, 0);
    }
    assert.equal(server.stand.facilitator.state().settleCalls, 0);
    // The same payment is good for a call that does not.
    const payment = await server.sign();
    assert.equal((await server.pay(payment, `${SIGNALS}?bankroll=0`)).status, 422);
    assert.equal((await server.pay(payment)).status, 200);
    assert.equal(server.settled(), 1);
  });

  it('takes no money when the market is down', async () => {
    await server.close();
    const of = async () => {
      throw new SourceError('SOURCE_TIMEOUT', 'down');
    };
    server = await openPaymentServer({}, { loaded: [eventOutput()], deps: { positions: { of } } });
    const payment = await server.sign({ path: '/api/v1/portfolio/account_a' });
    assert.equal(await codeOf(await server.pay(payment, PORTFOLIO)), '503 market_unreachable');
    assert.equal(server.stand.facilitator.state().settleCalls, 0);
  });

  it('serves keys while the facilitator is down, and offers no payment then', async () => {
    server.stand.fail('status', 'facilitator', { status: 503 });
    for (let call = 0; call < 5; call++) {
      assert.equal(await codeOf(await server.pay(await server.sign())), '503 payments_unavailable');
    }
    const isOffered = async () => (await server.running.get(SIGNALS)).headers.has('PAYMENT-REQUIRED');
    await eventually('nothing is offered', async () => !(await isOffered()));
    const { verifyCalls } = server.stand.facilitator.state();
    for (let minute = 0; minute < 10; minute++) {
      const keyed = await server.running.get(SIGNALS, { 'X-API-Key': 'demo_pro' });
      assert.equal(keyed.status, 200);
      assert.equal(await isOffered(), false);
      assert.equal(await codeOf(await server.pay(await server.sign())), '503 payments_unavailable');
      server.clock.monoMs += 60_000;
    }
    assert.equal(server.stand.facilitator.state().verifyCalls, verifyCalls);
    server.stand.faults.clear(undefined);
    server.clock.monoMs += 60_000;
    await eventually('payments are offered', isOffered);
    assert.equal((await server.pay(await server.sign())).status, 200);
  });

  it('lets an address send twenty bad payments a minute', async () => {
    for (let call = 0; call < 20; call++) {
      assert.equal(await codeOf(await server.pay('nonsense')), '400 payment_malformed');
    }
    const response = await server.pay(await server.sign());
    assert.equal(response.headers.get('Retry-After'), '60');
    assert.equal(await codeOf(response), '429 too_many_failed_payments');
    server.clock.now += 60_000;
    assert.equal((await server.pay(await server.sign())).status, 200);
  });

  it('notes that a reply was sent', async () => {
    const payment = await server.sign();
    await server.pay(payment);
    const { payments } = server.deps;
    await eventually('the note', () => payments.marked('unsent', Number.MAX_SAFE_INTEGER, 1).length === 0);
    assert.equal(payments.marked('spare', Number.MAX_SAFE_INTEGER, 9).length, 1);
  });

  it('refuses what someone else signed', async () => {
    const payment = await createPayer().sign({
      nowMs: server.clock.now,
      over: { from: server.payer.address },
    });
    const response = await server.pay(payment);
    assert.equal((await json(response)).reason, 'invalid_exact_evm_signature');
    assert.equal(response.status, 402);
  });
});
