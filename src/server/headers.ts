/** On every response: browsers must not guess its type, frame it or run it. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};

/** On everything under the API prefix: pages of any site may read it, without credentials. */
export const API_HEADERS: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS,
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'ETag, RateLimit, RateLimit-Policy, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, ' +
    'X-RateLimit-Reset, PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE',
};

/** On the answer to a preflight request, which browsers send because of `X-API-Key`. */
export const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Headers':
    'X-API-Key, x402, PAYMENT-SIGNATURE, X-PAYMENT, Content-Type, If-None-Match',
  'Access-Control-Max-Age': '86400',
};

export const JSON_TYPE = 'application/json; charset=utf-8';

/** On a body of stream state: a cache has to revalidate it, and it depends on the caller. */
export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  ...API_HEADERS,
  'Cache-Control': 'private, no-cache',
  Vary: 'X-API-Key, x402, Accept-Encoding',
};

/** The headers that let pages of other sites read an answer. */
const CORS_HEADERS: readonly string[] = [
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  'Access-Control-Allow-Headers',
  'Access-Control-Allow-Methods',
  'Access-Control-Max-Age',
];

/** Headers of an INTERNAL answer, which no page of another site may read. */
export function withoutCorsHeaders(
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !CORS_HEADERS.includes(name)));
}
