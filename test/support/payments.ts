import { once } from 'node:events';
import { authorizationTypes } from '@x402/evm';
import { type Hex, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type PaymentTerms, priceOf, requirementsOf, v1NetworkOf } from '../../src/payments/terms.ts';
import { createFaults, type FaultRule, type Faults } from '../../src/world/control/faults.ts';
import { type Chain, createChain } from '../../src/world/wire/chain.ts';
import { createFacilitator, type Facilitator } from '../../src/world/wire/facilitator.ts';
import { createWorldServer } from '../../src/world/wire/http.ts';
import { SIGNALS, TERMS } from './payment-terms.ts';

/** A fault of the facilitator, until it is cleared. */
export function faultRule(over: Partial<FaultRule> & Pick<FaultRule, 'kind'>): FaultRule {
  const rule = { times: null, status: 500, retryAfter: null, delayMs: 1_000, bytes: 1_000_000 };
  return { role: 'facilitator', contains: '', ...rule, ...over };
}

/** The stand-in facilitator alone, on a free port. */
export interface FacilitatorStand {
  readonly url: string;
  /** A node of its chain. */
  readonly nodeUrl: string;
  readonly facilitator: Facilitator;
  readonly chain: Chain;
  readonly faults: Faults;
  /** Makes calls whose path holds `contains` fail. */
  fail(
    kind: FaultRule['kind'],
    contains: 'verify' | 'settle' | 'facilitator',
    over?: Partial<FaultRule>,
  ): void;
  close(): Promise<void>;
}

export async function openFacilitator(
  now: () => number,
  faults: Faults = createFaults(),
): Promise<FacilitatorStand> {
  const chain = createChain(now);
  const facilitator = createFacilitator(now, chain);
  const { server, close } = createWorldServer({
    now,
    roles: [
      { prefix: '/facilitator', name: 'facilitator', handle: facilitator.handle },
      { prefix: '/chain', name: 'chain', handle: chain.handle },
    ],
    sockets: [],
    faults,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('not listening on a port');
  return {
    url: `http://127.0.0.1:${address.port}/facilitator`,
    nodeUrl: `http://127.0.0.1:${address.port}/chain`,
    facilitator,
    chain,
    faults,
    fail(kind, contains, over = {}) {
      faults.add(faultRule({ kind, contains, ...over }));
    },
    close,
  };
}

export interface Authorization {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly validAfter: string;
  readonly validBefore: string;
  readonly nonce: string;
}

/** A payment as JSON, which a test may spoil before it is sent. */
export interface Payment {
  readonly x402Version: number;
  readonly scheme?: string;
  readonly network?: string;
  readonly accepted?: Readonly<Record<string, unknown>>;
  readonly payload: { readonly signature: string; readonly authorization: Authorization };
}

interface SignOptions {
  readonly nowMs: number;
  readonly path?: string;
  readonly version?: 1 | 2;
  /** Signed instead of the fields of a valid payment. */
  readonly over?: Partial<Authorization>;
  readonly terms?: PaymentTerms;
}

/** A payer with a new key. */
export interface Payer {
  readonly address: Hex;
  sign(options: SignOptions): Promise<Payment>;
}

const hex = (text: string): Hex => `0x${text.replace(/^0x/, '')}`;

const randomHex = (bytes: number): Hex => toHex(crypto.getRandomValues(new Uint8Array(bytes)));

/** `hexOf` makes the key and the nonces: so many bytes, never the same twice. */
export function createPayer(hexOf: (bytes: number) => Hex = randomHex): Payer {
  const account = privateKeyToAccount(hexOf(32));
  return {
    address: account.address,
    async sign({ nowMs, path = SIGNALS, version = 2, over = {}, terms = TERMS }) {
      const seconds = Math.floor(nowMs / 1_000);
      const authorization: Authorization = {
        from: account.address,
        to: terms.payTo,
        value: String(priceOf(terms, path)),
        validAfter: String(seconds - 60),
        validBefore: String(seconds + 120),
        nonce: hexOf(32),
        ...over,
      };
      const { from, to, value, validAfter, validBefore, nonce } = authorization;
      const signature = await account.signTypedData({
        domain: {
          name: terms.assetName,
          version: terms.assetVersion,
          chainId: Number(terms.network.slice('eip155:'.length)),
          verifyingContract: hex(terms.asset),
        },
        types: authorizationTypes,
        primaryType: 'TransferWithAuthorization',
        message: {
          from: hex(from),
          to: hex(to),
          value: BigInt(value),
          validAfter: BigInt(validAfter),
          validBefore: BigInt(validBefore),
          nonce: hex(nonce),
        },
      });
      const payload = { signature, authorization };
      if (version === 2) return { x402Version: 2, accepted: { ...requirementsOf(terms, path) }, payload };
      return { x402Version: 1, scheme: 'exact', network: v1NetworkOf(terms.network) ?? '', payload };
    },
  };
}

export function headerOf(payment: unknown): string {
  return Buffer.from(JSON.stringify(payment)).toString('base64');
}
