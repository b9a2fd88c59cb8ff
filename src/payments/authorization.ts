import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import { RequestError } from '../errors.ts';
import type { PaymentTerms } from './terms.ts';

/** All mean the same; the first is the documented one (spec 5). */
const HEADER_NAMES = ['x402', 'payment-signature', 'x-payment'] as const;

const MAX_HEADER_CHARS = 8 * 1_024;
const MAX_DEPTH = 8;

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const seconds = z.string().regex(/^\d{1,12}$/);
const payload = z.object({
  // 65 bytes, as a key signs. Signatures of contracts cannot be checked without a node of the chain.
  signature: z.string().regex(/^0x[0-9a-fA-F]{130}$/),
  authorization: z.object({
    from: address,
    to: address,
    value: z.string().regex(/^(0|[1-9]\d{0,77})$/),
    validAfter: seconds,
    validBefore: seconds,
    nonce: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
  }),
});

const authorizationSchema = z.discriminatedUnion('x402Version', [
  z.object({ x402Version: z.literal(1), scheme: z.string(), network: z.string(), payload }),
  z.object({
    x402Version: z.literal(2),
    accepted: z.object({
      scheme: z.string(),
      network: z.string(),
      amount: z.string(),
      asset: z.string(),
      payTo: z.string(),
      maxTimeoutSeconds: z.number(),
      extra: z.object({ name: z.string(), version: z.string() }),
    }),
    payload,
  }),
]);

/** A payment as it was sent, in either version of the protocol. Nothing in it is checked yet but its form. */
export type Authorization = z.infer<typeof authorizationSchema>;

/** Whether a request carries a payment. */
export function carriesPayment(headers: IncomingHttpHeaders): boolean {
  return HEADER_NAMES.some((name) => headers[name] !== undefined);
}

/** The text of the payment a request carries. */
export function paymentIn(headers: IncomingHttpHeaders): string {
  const texts = new Set(HEADER_NAMES.map((name) => headers[name]).filter((text) => text !== undefined));
  const [text] = texts;
  if (texts.size !== 1 || typeof text !== 'string') throw malformed('expected one payment');
  return text;
}

/** Throws a RequestError (400) unless the text has the form of a payment. */
export function readAuthorization(text: string): Authorization {
  if (text.length > MAX_HEADER_CHARS) throw malformed('it is longer than 8 KiB');
  const bytes = Buffer.from(text, 'base64');
  if (text === '' || bytes.toString('base64') !== text) throw malformed('it is not base64');
  const parsed = authorizationSchema.safeParse(jsonOf(bytes.toString()));
  if (!parsed.success) {
    const where = parsed.error.issues.map(({ path }) => path.join('.') || 'x402Version');
    throw malformed(`expected a payload of version 1 or 2, at fault: ${where.join(', ')}`);
  }
  return parsed.data;
}

/**
 * `network|asset|from|nonce` in lower case, which a chain accepts once. Network and asset are our own, not those that
 * the payment names, so the same nonce is always the same payment.
 */
export function paymentIdOf({ payload }: Authorization, { network, asset }: PaymentTerms): string {
  const { from, nonce } = payload.authorization;
  return [network, asset, from, nonce].join('|').toLowerCase();
}

/** A hash of everything that was signed and of the signature. */
export function digestOf({ payload: { signature, authorization } }: Authorization): string {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const parts = [from, to, value, validAfter, validBefore, nonce, signature].join('|');
  return createHash('sha256').update(parts.toLowerCase()).digest('hex');
}

function jsonOf(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed('it is not JSON');
  }
  if (isDeeper(value, MAX_DEPTH)) throw malformed(`it is nested more than ${MAX_DEPTH} deep`);
  return value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function malformed(why: string): RequestError {
  return new RequestError(400, 'payment_malformed', `The payment cannot be read: ${why}`);
}
