import * as z from 'zod';
import { remembered } from '../../resilience/remembered.ts';
import { signerOf } from './transfer-signature.ts';

const hex = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]*$/)]);
const address = hex.refine((text) => text.length === 42);
const digits = z.string().regex(/^\d{1,78}$/);

const payload = z.object({
  signature: hex,
  authorization: z.object({
    from: address,
    to: address,
    value: digits,
    validAfter: digits,
    validBefore: digits,
    nonce: hex.refine((text) => text.length === 66),
  }),
});

const requirements = z.object({
  scheme: z.literal('exact'),
  network: z.string(),
  asset: address,
  payTo: address,
  amount: digits.optional(),
  maxAmountRequired: digits.optional(),
  extra: z.object({ name: z.string(), version: z.string() }),
});

/** A request to a facilitator, in either version of the protocol. */
export const orderSchema = z.object({
  x402Version: z.union([z.literal(1), z.literal(2)]),
  paymentPayload: z.object({
    network: z.string().optional(),
    accepted: z.object({ network: z.string() }).optional(),
    payload,
  }),
  paymentRequirements: requirements,
});
export type Order = z.infer<typeof orderSchema>;

/** The names of networks in version 1, and their chains. */
const CHAINS: Readonly<Record<string, number>> = { base: 8453, 'base-sepolia': 84532, polygon: 137 };

interface Required {
  readonly chainId: number;
  readonly payTo: string;
  readonly amount: bigint;
}

/** Undefined when the payment is for another network than what is required, or for none we know. */
export function requiredOf({
  x402Version,
  paymentPayload,
  paymentRequirements,
}: Order): Required | undefined {
  const { network, payTo, amount, maxAmountRequired } = paymentRequirements;
  const price = x402Version === 1 ? maxAmountRequired : amount;
  const named = x402Version === 1 ? paymentPayload.network : paymentPayload.accepted?.network;
  const chainId = x402Version === 1 ? CHAINS[network] : Number(/^eip155:(\d+)$/.exec(network)?.[1]);
  if (named !== network || price === undefined || !chainId) return undefined;
  return { chainId, payTo, amount: BigInt(price) };
}

/** Finding out who signed takes milliseconds, and what is verified is settled soon. */
const SIGNERS_REMEMBERED = 100;

/** Tells whether the payer signed this very transfer, of this token on this chain. */
export function createSignatureCheck(): (order: Order, required: Required) => boolean {
  const signers = remembered<string, { readonly signer: string | undefined }>(SIGNERS_REMEMBERED);
  return (order, { chainId }) => {
    const { signature, authorization } = order.paymentPayload.payload;
    const { asset, extra } = order.paymentRequirements;
    const signed = [{ ...extra, chainId, asset }, authorization, signature] as const;
    const name = JSON.stringify(signed);
    const known = signers.get(name) ?? { signer: signerOf(...signed) };
    signers.set(name, known);
    return known.signer === authorization.from.toLowerCase();
  };
}
