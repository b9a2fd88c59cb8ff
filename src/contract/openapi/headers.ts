import type { Json } from './schemas.ts';

const header = (description: string, type: 'string' | 'integer', example: string | number): Json => ({
  description,
  schema: { type },
  example,
});

/** Headers of answers, by name. */
export const HEADERS = {
  ETag: header(
    'Weak tag of the state; it does not change with timestamp, ages or the time left. Send it as If-None-Match.',
    'string',
    'W/"17044-2-e1-meta-account_a"',
  ),
  'RateLimit-Policy': header(
    'The limit that applies: its name, requests (q) and seconds (w), as in the IETF draft.',
    'string',
    '"free";q=100;w=3600',
  ),
  RateLimit: header(
    'Requests left (r) and seconds until more are allowed (t).',
    'string',
    '"free";r=37;t=412',
  ),
  'X-RateLimit-Limit': header('Requests allowed in any hour.', 'integer', 100),
  'X-RateLimit-Remaining': header('Requests left.', 'integer', 37),
  'X-RateLimit-Reset': header('When more requests are allowed, Unix seconds.', 'integer', 1_794_714_820),
  'Retry-After': header('Seconds to wait before the next try.', 'integer', 52),
  'WWW-Authenticate': header('How to send a key.', 'string', 'ApiKey header="X-API-Key"'),
  'PAYMENT-REQUIRED': header(
    'How to pay for what PRO sees of this one call, when payments are on: base64 of JSON, version 2 of x402.',
    'string',
    'eyJ4NDAyVmVyc2lvbiI6Mn0=',
  ),
  'PAYMENT-RESPONSE': header(
    'The receipt of a payment: base64 of JSON. For a payment of version 1 also in X-PAYMENT-RESPONSE.',
    'string',
    'eyJzdWNjZXNzIjp0cnVlfQ==',
  ),
} as const satisfies Readonly<Record<string, Json>>;

export type HeaderName = keyof typeof HEADERS;

/** Absent for a caller without a limit. */
export const LIMIT_HEADERS: readonly HeaderName[] = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

export function headerRefs(names: readonly HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
