import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RequestError } from '../../src/errors.ts';
import { carriesPayment, digestOf, paymentIn, readAuthorization } from '../../src/payments/authorization.ts';
import { createPayer, headerOf, type Payment } from '../support/payments.ts';

const isMalformed = (error: unknown) =>
  error instanceof RequestError && error.status === 400 && error.code === 'payment_malformed';

describe('readAuthorization', () => {
  let payment: Payment;
  before(async () => {
    payment = await createPayer().sign({ nowMs: 1_700_000_000_000 });
  });

  it('reads what was written, without unknown fields', () => {
    const { x402Version, accepted, payload } = payment;
    const given = { ...payment, extensions: { a: 1 }, resource: { url: 'x' }, ['__proto__']: { evil: true } };
    assert.deepEqual(readAuthorization(headerOf(given)), { x402Version, accepted, payload });
  });

  it('refuses anything that is not a payment', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String(),
          fc.json().map((text) => Buffer.from(text).toString('base64')),
        ),
        (text) => assert.throws(() => readAuthorization(text), isMalformed),
      ),
    );
  });

  it('requires exact base64, at most 8 KiB of it, and no deep nesting', () => {
    const good = headerOf(payment);
    const long = headerOf({ ...payment, pad: 'x'.repeat(8_192) });
    let deep: unknown = 1;
    for (let level = 0; level < 9; level++) deep = [deep];
    const texts = [
      `${good} `,
      `${good}, ${good}`,
      good.replace(/=*$/, '*'),
      long,
      headerOf({ ...payment, deep }),
    ];
    for (const text of texts) assert.throws(() => readAuthorization(text), isMalformed);
    assert.ok(readAuthorization(good));
  });
});

describe('paymentIn', () => {
  it('takes any of three headers, and no two that differ', () => {
    for (const name of ['x402', 'payment-signature', 'x-payment']) {
      assert.ok(carriesPayment({ [name]: 'abc' }));
      assert.equal(paymentIn({ [name]: 'abc' }), 'abc');
    }
    assert.equal(paymentIn({ x402: 'abc', 'x-payment': 'abc' }), 'abc');
    assert.throws(() => paymentIn({ x402: 'abc', 'x-payment': 'abd' }), isMalformed);
    assert.ok(!carriesPayment({ 'x-api-key': 'abc' }));
  });
});

describe('digestOf', () => {
  it('differs with whatever was signed, and not with the case of letters', async () => {
    const payer = createPayer();
    const one = await payer.sign({ nowMs: 1_700_000_000_000 });
    const digest = (payment: unknown) => digestOf(readAuthorization(headerOf(payment)));
    const { signature, authorization } = one.payload;
    const nonce = `0x${authorization.nonce.slice(2).toUpperCase()}`;
    const upper = { ...one, payload: { signature, authorization: { ...authorization, nonce } } };
    assert.equal(digest(upper), digest(one));
    const others = ['value', 'validAfter', 'validBefore'] as const;
    for (const name of others) {
      const changed = { ...authorization, [name]: `1${authorization[name]}` };
      assert.notEqual(digest({ ...one, payload: { signature, authorization: changed } }), digest(one));
    }
  });
});
