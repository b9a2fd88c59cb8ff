import { toHex } from 'viem';
import type { Authorization, Payment } from './payments.ts';

/** A way to spoil a valid signed payment of version 2, so that it must not be settled. */
type Mutation = readonly [name: string, spoil: (payment: Payment) => unknown];

const random = (bytes: number) => toHex(crypto.getRandomValues(new Uint8Array(bytes)));

const authorized =
  (over: (authorization: Authorization) => Partial<Record<keyof Authorization, unknown>>) =>
  (payment: Payment): unknown => {
    const { payload } = payment;
    const authorization = { ...payload.authorization, ...over(payload.authorization) };
    return { ...payment, payload: { ...payload, authorization } };
  };

const signed =
  (change: (signature: string) => unknown) =>
  (payment: Payment): unknown => ({
    ...payment,
    payload: { ...payment.payload, signature: change(payment.payload.signature) },
  });

const accepted =
  (over: Readonly<Record<string, unknown>>) =>
  (payment: Payment): unknown => ({ ...payment, accepted: { ...payment.accepted, ...over } });

const plus = (digits: string, by: number) => String(BigInt(digits) + BigInt(by));

/** One hexadecimal digit becomes another: which one, and which other, follows from the text. */
function flipped(text: string): string {
  const sum = Array.from(text).reduce((total, digit) => total + digit.charCodeAt(0), 0);
  const at = 2 + (sum % (text.length - 4));
  const digit = (Number.parseInt(text.charAt(at), 16) + 1 + (sum % 15)) % 16;
  return text.slice(0, at) + digit.toString(16) + text.slice(at + 1);
}

export const MUTATIONS: readonly Mutation[] = [
  ['another payer', authorized(() => ({ from: random(20) }))],
  ['another receiver', authorized(() => ({ to: random(20) }))],
  ['one less', authorized(({ value }) => ({ value: plus(value, -1) }))],
  ['one more', authorized(({ value }) => ({ value: plus(value, 1) }))],
  ['nothing', authorized(() => ({ value: '0' }))],
  ['a negative value', authorized(({ value }) => ({ value: `-${value}` }))],
  ['a value with a leading zero', authorized(({ value }) => ({ value: `0${value}` }))],
  ['a value in hexadecimal', authorized(({ value }) => ({ value: `0x${BigInt(value).toString(16)}` }))],
  ['a number for a value', authorized(({ value }) => ({ value: Number(value) }))],
  ['an earlier begin', authorized(({ validAfter }) => ({ validAfter: plus(validAfter, -1) }))],
  ['a begin to come', authorized(({ validBefore }) => ({ validAfter: validBefore }))],
  ['a later end', authorized(({ validBefore }) => ({ validBefore: plus(validBefore, 1) }))],
  ['an end too far', authorized(({ validBefore }) => ({ validBefore: plus(validBefore, 86_400) }))],
  ['another nonce', authorized(() => ({ nonce: random(32) }))],
  ['a short nonce', authorized(({ nonce }) => ({ nonce: nonce.slice(0, -2) }))],
  ['no nonce', authorized(() => ({ nonce: undefined }))],
  ['a digit of the signature', signed(flipped)],
  ['another signature', signed(() => random(65))],
  ['a short signature', signed((signature) => signature.slice(0, -2))],
  ['a wrapped signature', signed((signature) => `${signature}${'64'.repeat(32)}`)],
  ['no signature', signed(() => '')],
  ['another scheme', accepted({ scheme: 'upto' })],
  ['another network', accepted({ network: 'eip155:8453' })],
  ['another asset', accepted({ asset: random(20) })],
  ['another amount accepted', accepted({ amount: '1' })],
  ['another receiver accepted', accepted({ payTo: random(20) })],
  ['another time accepted', accepted({ maxTimeoutSeconds: 999_999 })],
  ['another token accepted', accepted({ extra: { name: 'Other', version: '1' } })],
  ['another version of the protocol', (payment) => ({ ...payment, x402Version: 3 })],
  ['the first version with a payload of the second', (payment) => ({ ...payment, x402Version: 1 })],
];
