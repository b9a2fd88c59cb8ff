import type { Operation, Refusal } from '../operation.ts';
import { type HeaderName, headerRefs, LIMIT_HEADERS } from './headers.ts';
import { type Json, schemaRef } from './schemas.ts';

type RefusalName =
  | Refusal
  | 'NotModified'
  | 'Unauthorized'
  | 'Invalid'
  | 'OverLimit'
  | 'HeadersTooLarge'
  | 'Internal';

interface Entry {
  readonly status: number;
  readonly response: Json;
}

const error = (
  status: number,
  description: string,
  codes: Readonly<Record<string, string>>,
  headers: readonly HeaderName[] = [],
): Entry => ({
  status,
  response: {
    description,
    ...(headers.length === 0 ? {} : { headers: headerRefs(headers) }),
    content: {
      'application/json': {
        schema: schemaRef('Error'),
        examples: Object.fromEntries(
          Object.entries(codes).map(([code, detail]) => [code, { value: { detail, code } }]),
        ),
      },
    },
  },
});

const described = (
  status: number,
  description: string,
  name: 'Faults' | 'RateLimited',
  headers: Json,
): Entry => ({
  status,
  response: { description, headers, content: { 'application/json': { schema: schemaRef(name) } } },
});

const REFUSALS: Readonly<Record<RefusalName, Entry>> = {
  NotModified: {
    status: 304,
    response: {
      description: 'Nothing changed since the tag sent. Costs no quota.',
      headers: headerRefs(['ETag']),
    },
  },
  WalletInvalid: error(400, 'The wallet is no address.', {
    wallet_invalid: 'The wallet is not 0x and 40 hexadecimal characters',
  }),
  BodyIncomplete: error(400, 'The connection ended before the body did.', {
    body_incomplete: 'The connection ended before the body did',
  }),
  Unauthorized: error(
    401,
    'The caller does not hold a key of the tier needed, or sent one that is not known.',
    {
      key_missing: 'This needs a key of tier PRO',
      key_invalid: 'The API key is not known or was revoked',
      tier_too_low: 'This needs a key of tier PRO, and the key sent is FREE',
    },
    ['WWW-Authenticate'],
  ),
  BodyTooLarge: error(413, 'The body is larger than 16 KiB.', {
    body_too_large: 'The body is larger than 16384 bytes',
  }),
  UnsupportedMediaType: error(415, 'The body is not sent as JSON, or is compressed.', {
    unsupported_media_type: 'The body has to be application/json',
  }),
  Invalid: described(422, 'Parameters or body are invalid; every fault at once.', 'Faults', {}),
  OverLimit: described(
    429,
    'The hour is used up. Costs no quota.',
    'RateLimited',
    headerRefs(['Retry-After', ...LIMIT_HEADERS]),
  ),
  HeadersTooLarge: error(431, 'More than 12 KiB of headers.', {
    headers_too_large: 'Request Header Fields Too Large',
  }),
  Internal: error(500, 'A bug of ours. Nothing of it is told.', { internal: 'Internal Server Error' }),
  MarketUnreachable: error(
    503,
    'The market could not be asked for the positions.',
    { market_unreachable: 'The market could not be asked for the positions' },
    ['Retry-After'],
  ),
  StoreUnavailable: error(
    503,
    'The place could not be written down.',
    { store_unavailable: 'The place could not be kept; try again' },
    ['Retry-After'],
  ),
};

export function refusalResponses(): Json {
  return Object.fromEntries(Object.entries(REFUSALS).map(([name, { response }]) => [name, response]));
}

/** Every answer of an operation but its own, by status. */
export function refusalsOf(operation: Operation): Json {
  const { access, isCounted, isConditional, query, body, refusals = [] } = operation;
  const names: readonly RefusalName[] = [
    ...(isConditional ? (['NotModified'] as const) : []),
    ...(access === 'open' ? [] : (['Unauthorized'] as const)),
    ...(query === undefined && body === undefined ? [] : (['Invalid'] as const)),
    ...(isCounted ? (['OverLimit'] as const) : []),
    'HeadersTooLarge',
    'Internal',
    ...refusals,
  ];
  return Object.fromEntries(
    names.map((name) => [String(REFUSALS[name].status), { $ref: `#/components/responses/${name}` }]),
  );
}
