import type { PaymentRequired } from '@x402/core/types';
import { DESCRIPTION, firstRequirementsOf, type PaymentTerms, requirementsOf } from './terms.ts';

/** What tells a caller how to pay: headers and fields of an answer. */
export interface Offer {
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, unknown>>;
}

export type EncodeRequired = (required: PaymentRequired) => string;

/**
 * Version 2 in the header and, where the network has a name in it, version 1 in the body. `url` is where the
 * caller asked.
 */
export function offerOf(terms: PaymentTerms, path: string, url: string, encode: EncodeRequired): Offer {
  const accepts = [requirementsOf(terms, path)];
  const first = firstRequirementsOf(terms, path, url);
  const header = encode({
    x402Version: 2,
    error: 'Payment required',
    resource: { url, description: DESCRIPTION, mimeType: 'application/json' },
    accepts,
  });
  return {
    headers: { 'PAYMENT-REQUIRED': header },
    fields: first === undefined ? { x402Version: 2, accepts } : { x402Version: 1, accepts: [first] },
  };
}
