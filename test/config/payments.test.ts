import assert from 'node:assert/strict';
import { type ConfigInput, parseConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/errors.ts';

const parse = (flags: ConfigInput['flags']) => parseConfig({ flags, env: {} });

const ON = {
  payments: 'on',
  paymentNetwork: 'eip155:84532',
  paymentAsset: `0x${'a'.repeat(40)}`,
  paymentAssetName: 'Token',
  paymentAssetVersion: '2',
  paymentPayTo: `0x${'b'.repeat(40)}`,
  paymentFacilitator: 'https://facilitator.invalid/x402/',
};

describe('toPayments', () => {
  it('is off unless asked for, whatever else is given', () => {
    assert.deepEqual(parse({ ...ON, payments: 'off' }).payments, { type: 'off' });
  });

  it('reads prices to the last of six decimals', () => {
    const { payments } = parse({
      ...ON,
      paymentPrice: '0.07',
      paymentPrices: 'signals=1,portfolio/account_a=0.000001',
    });
    assert.deepEqual(payments, {
      type: 'on',
      price: 70_000n,
      prices: [
        { path: 'signals', price: 1_000_000n },
        { path: 'portfolio/account_a', price: 1n },
      ],
      network: 'eip155:84532',
      asset: ON.paymentAsset,
      assetName: 'Token',
      assetVersion: '2',
      payTo: ON.paymentPayTo,
      facilitator: 'https://facilitator.invalid/x402',
      node: undefined,
    });
  });

  it('takes the address of a node, which may hold a key, from the environment only', () => {
    const url = 'https://node.invalid/v2?key=1';
    const { payments } = parseConfig({ flags: ON, env: { TALLYWIRE_PAYMENT_NODE: url } });
    assert.equal(payments.type === 'on' && payments.node, url);
    for (const bad of ['http://node.invalid', 'ws://127.0.0.1', 'https://me@node.invalid']) {
      assert.throws(
        () => parseConfig({ flags: ON, env: { TALLYWIRE_PAYMENT_NODE: bad } }),
        (error: unknown) => error instanceof ConfigError && !JSON.stringify(error.faults).includes(bad),
      );
    }
  });
});

describe('paymentFaults', () => {
  const faultsOf = (flags: ConfigInput['flags']) => {
    try {
      parse(flags);
    } catch (error) {
      if (error instanceof ConfigError) return error.faults.map(({ loc }) => loc.join('.'));
      throw error;
    }
    return [];
  };

  it('asks for everything that payments need, all at once', () => {
    assert.deepEqual(faultsOf({ payments: 'on', paymentPayTo: 'me', paymentAssetName: 'Token' }).sort(), [
      '--payment-asset',
      '--payment-asset-version',
      '--payment-facilitator',
      '--payment-network',
      '--payment-pay-to',
    ]);
  });

  it('takes made-up money in made-up worlds only', () => {
    assert.deepEqual(faultsOf({ payments: 'demo' }), []);
    assert.ok(faultsOf({ payments: 'demo', world: 'live' }).includes('--payments'));
  });
});
