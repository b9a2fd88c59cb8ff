import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { recoverTypedDataAddress } from 'viem/utils';
import {
  signerOf,
  type TokenDomain,
  type TransferMessage,
} from '../../../src/world/wire/transfer-signature.ts';

const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

const hexOf = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((of): Hex => `0x${Buffer.from(of).toString('hex')}`);
const digits = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String);
const domains = fc.record({
  name: fc.string({ unit: 'grapheme' }),
  // The other library leaves out an empty one.
  version: fc.string({ minLength: 1 }),
  chainId: fc.nat(),
  asset: hexOf(20),
});
const transfers = fc.record({
  from: hexOf(20),
  to: hexOf(20),
  value: digits,
  validAfter: digits,
  validBefore: digits,
  nonce: hexOf(32),
});
/** Half of the order of the curve: keys are from 1 up to the order. */
const keys = hexOf(32).map((key): Hex => `0x0${key.slice(3, -1)}1`);

/** The same transfer in the words of another library. */
const typedData = (
  { name, version, chainId, asset }: TokenDomain & { readonly asset: Hex },
  { from, to, value, validAfter, validBefore, nonce }: TransferMessage & Record<'from' | 'to' | 'nonce', Hex>,
) => ({
  domain: { name, version, chainId, verifyingContract: asset },
  types: TYPES,
  primaryType: 'TransferWithAuthorization' as const,
  message: {
    from,
    to,
    value: BigInt(value),
    validAfter: BigInt(validAfter),
    validBefore: BigInt(validBefore),
    nonce,
  },
});

describe('signerOf', () => {
  it('finds who signed, as another library does', () =>
    fc.assert(
      fc.asyncProperty(keys, domains, transfers, async (key, domain, transfer) => {
        const account = privateKeyToAccount(key);
        const signature = await account.signTypedData(typedData(domain, transfer));
        assert.equal(signerOf(domain, transfer, signature), account.address.toLowerCase());
        const [body, v] = [signature.slice(0, -2), signature.slice(-2)];
        const without27 = body + (v === '1b' ? '00' : '01');
        assert.equal(signerOf(domain, transfer, without27), account.address.toLowerCase());
      }),
      { numRuns: 30 },
    ));

  it('finds the same other signer for any bytes, or none', () =>
    fc.assert(
      fc.asyncProperty(
        hexOf(64),
        fc.constantFrom('1b', '1c'),
        domains,
        transfers,
        async (body, v, domain, transfer) => {
          const signature: Hex = `${body}${v}`;
          const found = signerOf(domain, transfer, signature);
          const other = await recoverTypedDataAddress({ ...typedData(domain, transfer), signature }).catch(
            () => undefined,
          );
          // Contracts accept the lower of two forms only.
          if (found !== undefined) assert.equal(found, other?.toLowerCase());
          else assert.ok(other === undefined || BigInt(`0x${body.slice(66)}`) > 2n ** 254n);
        },
      ),
      { numRuns: 30 },
    ));

  it('takes nothing else for a signature', () => {
    const domain = { name: 'x', version: '1', chainId: 1, asset: `0x${'a'.repeat(40)}` };
    const transfer = {
      from: `0x${'b'.repeat(40)}`,
      to: `0x${'c'.repeat(40)}`,
      value: '1',
      validAfter: '0',
      validBefore: '9',
      nonce: `0x${'d'.repeat(64)}`,
    };
    const one = '1'.padStart(64, '0');
    assert.notEqual(signerOf(domain, transfer, `0x${one}${one}1b`), undefined);
    for (const bytes of [
      '',
      `${one}${one}`,
      `${one}${one}1d`,
      `${one}${one}1b00`,
      `${'0'.repeat(128)}1b`,
      `${'f'.repeat(128)}1b`,
      `${one}${'f'.repeat(64)}1b`,
    ]) {
      assert.equal(signerOf(domain, transfer, `0x${bytes}`), undefined, bytes);
    }
    const huge = { ...transfer, value: '9'.repeat(78) };
    assert.equal(signerOf(domain, huge, `0x${one}${one}1b`), undefined);
  });
});
