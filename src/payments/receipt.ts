import type { KeptPayment } from '../store/store.ts';

/** The receipt in the header of the version that was paid in; for the first version in its own too. */
export function receiptHeaders({ receipt, order }: KeptPayment): Readonly<Record<string, string>> {
  const text = Buffer.from(receipt ?? '{}').toString('base64');
  const isFirst = JSON.parse(order).x402Version === 1;
  return { 'PAYMENT-RESPONSE': text, ...(isFirst && { 'X-PAYMENT-RESPONSE': text }) };
}
