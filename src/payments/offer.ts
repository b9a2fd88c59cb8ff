import { DESCRIPTION, type PaymentTerms, requirementsOf, requirementsV1Of } from './terms.ts';

/** How to pay, as headers and body fields of an answer. */
export interface Offer {
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Version 2 of the protocol in the header and, where version 1 has a name for the network, version 1 in the body.
 * `url` is the address of the request.
 */
export function offerOf(terms: PaymentTerms, path: string, url: string): Offer {
  const accepts = [requirementsOf(terms, path)];
  const v1 = requirementsV1Of(terms, path, url);
  const required = {
    x402Version: 2,
    error: 'Payment required',
    resource: { url, description: DESCRIPTION, mimeType: 'application/json' },
    accepts,
  };
  return {
    headers: { 'PAYMENT-REQUIRED': Buffer.from(JSON.stringify(required)).toString('base64') },
    fields: v1 === undefined ? { x402Version: 2, accepts } : { x402Version: 1, accepts: [v1] },
  };
}
