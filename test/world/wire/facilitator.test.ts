import assert from 'node:assert/strict';
import { readAuthorization } from '../../../src/payments/authorization.ts';
import { facilitatorRequestOf } from '../../../src/payments/facilitator-request.ts';
import { type Chain, createChain } from '../../../src/world/wire/chain.ts';
import { createFacilitator, type Facilitator } from '../../../src/world/wire/facilitator.ts';
import { SIGNALS, TERMS } from '../../support/payment-terms.ts';
import { createPayer, headerOf, type Payment } from '../../support/payments.ts';

const NOW = Date.UTC(2026, 0, 1);

/** The worked example of the protocol's own text: a signature that was made elsewhere. */
const EXAMPLE = {
  at: 1_740_672_100_000,
  requirements: {
    scheme: 'exact',
    network: 'eip155:84532',
    amount: '10000',
    asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    maxTimeoutSeconds: 300,
    extra: { name: ['US', 'DC'].join(''), version: '2' },
  },
  payload: {
    signature:
      '0x2d6a7588d6acca505cbf0d9a4a227e0c52c6c34008c8e8986a1283259764173608a2ce6496642e377d6da8dbbf5836e9bd15092f9ecab05ded3d6293af148b571c',
    authorization: {
      from: '0x857b06519E91e3A54538791bDbb0E22373e36b66',
      to: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
      value: '10000',
      validAfter: '1740672089',
      validBefore: '1740672154',
      nonce: '0xf3746613c2d920b5fdabc0856f2aeb2d4f88ee6037b8cc5d04a71a4462f13480',
    },
  },
};

describe('createFacilitator of the world', () => {
  let chain: Chain;
  let facilitator: Facilitator;
  let clock: { now: number };
  beforeEach(() => {
    clock = { now: NOW };
    chain = createChain(() => clock.now);
    facilitator = createFacilitator(() => clock.now, chain);
  });

  const ask = async (call: string, order: unknown) => {
    const request = { method: 'POST', path: [call], query: new URLSearchParams(), headers: {} };
    const { status, body } = await facilitator.handle({ ...request, body: JSON.stringify(order) });
    return { status, ...Object(body) };
  };
  const order = (payment: Payment) =>
    facilitatorRequestOf(readAuthorization(headerOf(payment)), TERMS, SIGNALS, `http://localhost${SIGNALS}`);
  const sign = (options = {}) => createPayer().sign({ nowMs: clock.now, ...options });

  it('verifies a signature that was made elsewhere', async () => {
    clock.now = EXAMPLE.at;
    const { requirements, payload } = EXAMPLE;
    const paymentPayload = { x402Version: 2, accepted: requirements, payload };
    const given = { x402Version: 2, paymentPayload, paymentRequirements: requirements };
    assert.equal((await ask('verify', given)).isValid, true);
    const authorization = { ...payload.authorization, value: '10001' };
    const spoiled = { ...paymentPayload, payload: { ...payload, authorization } };
    assert.equal(
      (await ask('verify', { ...given, paymentPayload: spoiled })).invalidReason,
      'invalid_exact_evm_signature',
    );
  });

  it('settles a payment of either version once', async () => {
    for (const version of [1, 2] as const) {
      const given = order(await sign({ version }));
      assert.equal((await ask('verify', given)).isValid, true);
      const settled = await ask('settle', given);
      assert.equal(settled.success, true);
      assert.match(settled.transaction, /^0x[0-9a-f]{64}$/);
      assert.equal((await ask('settle', given)).errorReason, 'invalid_exact_evm_nonce_already_used');
      assert.equal((await ask('verify', given)).invalidReason, 'invalid_exact_evm_nonce_already_used');
    }
    assert.equal(Object.keys(facilitator.state().settled).length, 2);
  });

  it('settles one of many at once', async () => {
    const given = order(await sign());
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask('settle', given)));
    assert.equal(answers.filter(({ success }) => success).length, 1);
  });

  it('refuses a signed payment that does not pay for the call', async () => {
    const seconds = NOW / 1_000;
    const reasons: Readonly<Record<string, object>> = {
      invalid_exact_evm_recipient_mismatch: { to: `0x${'1'.repeat(40)}` },
      invalid_exact_evm_payload_authorization_value_mismatch: { value: '9999' },
      invalid_exact_evm_payload_authorization_valid_before: { validBefore: String(seconds + 5) },
      invalid_exact_evm_payload_authorization_valid_after: { validAfter: String(seconds + 1) },
    };
    for (const [reason, over] of Object.entries(reasons)) {
      const given = order(await sign({ over }));
      assert.equal((await ask('verify', given)).invalidReason, reason);
      assert.equal((await ask('settle', given)).errorReason, reason);
    }
    assert.deepEqual(facilitator.state().settled, {});
  });

  it('fails as it was set to, so many times', async () => {
    facilitator.steer({ verify: 'invalid', times: 1 });
    const given = order(await sign());
    assert.equal((await ask('verify', given)).isValid, false);
    assert.equal((await ask('verify', given)).isValid, true);
    facilitator.steer({ settle: 'refuse', times: 1 });
    assert.equal((await ask('settle', given)).success, false);
    assert.deepEqual(facilitator.state().settled, {});
    facilitator.steer({ settle: 'no-hash', times: 1 });
    assert.deepEqual(
      [(await ask('settle', given)).transaction, Object.keys(facilitator.state().settled).length],
      ['', 1],
    );
  });

  it('moves the money and loses the answer, or asks to come back, or meets a cancelled signature', async () => {
    const [lost, busy, cancelled] = [order(await sign()), order(await sign()), order(await sign())];
    facilitator.steer({ settle: 'lose', times: 1 });
    assert.equal((await ask('settle', lost)).status, 502);
    assert.equal((await ask('settle', lost)).errorReason, 'invalid_exact_evm_nonce_already_used');
    facilitator.steer({ settle: 'busy', times: 1 });
    assert.equal((await ask('settle', busy)).status, 429);
    facilitator.steer({ settle: 'cancelled', times: 1 });
    assert.equal((await ask('settle', cancelled)).errorReason, 'invalid_exact_evm_nonce_already_used');
    assert.equal(Object.keys(facilitator.state().settled).length, 1);
  });

  it('fails on a share of the payments, always on the same', async () => {
    facilitator.steer({ settle: 'refuse', times: null, share: 0.5 });
    const orders = await Promise.all(Array.from({ length: 20 }, async () => order(await sign())));
    const answers = async () =>
      (await Promise.all(orders.map((given) => ask('settle', given)))).map(
        ({ errorReason }) => errorReason === 'insufficient_funds',
      );
    const first = await answers();
    assert.deepEqual(await answers(), first);
    assert.equal(new Set(first).size, 2);
  });

  it('lets nobody spend more than they have', async () => {
    const payer = createPayer();
    chain.setBalance(payer.address, 15_000n);
    const [first, second] = [
      order(await payer.sign({ nowMs: clock.now })),
      order(await payer.sign({ nowMs: clock.now })),
    ];
    assert.equal((await ask('settle', first)).success, true);
    assert.equal((await ask('verify', second)).invalidReason, 'insufficient_funds');
    assert.equal((await ask('settle', second)).errorReason, 'insufficient_funds');
    assert.equal(chain.balanceOf(payer.address), 5_000n);
  });

  it('lists the kinds it supports, and refuses anything that is no payment', async () => {
    const query = new URLSearchParams();
    const supported = await facilitator.handle({
      method: 'GET',
      path: ['supported'],
      query,
      headers: {},
      body: '',
    });
    assert.equal(Object(supported.body).kinds.length, 2);
    assert.equal((await ask('verify', { x402Version: 2 })).status, 400);
    assert.equal((await ask('refund', {})).status, 404);
  });
});
