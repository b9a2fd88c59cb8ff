import { hasPast, isPerAccount, isSold, type Operation, type Refusal } from '../operation.ts';
import { type HeaderName, headerRefs, LIMIT_HEADERS } from './headers.ts';
import { type Json, schemaRef } from './schemas.ts';

type RefusalName =
  | Refusal
  | 'NotModified'
  | 'AccountUnknown'
  | 'EngineUnavailable'
  | 'KeyInvalid'
  | 'TooManyBadKeys'
  | 'TooMuchTraffic'
  | 'PaymentMalformed'
  | 'PaymentRefused'
  | 'PaymentInProgress'
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
  schema: 'Error' | 'Unpaid' | 'AccountUnknown' | 'EventUnknown' = 'Error',
): Entry => ({
  status,
  response: {
    description,
    ...(headers.length === 0 ? {} : { headers: headerRefs(headers) }),
    content: {
      'application/json': {
        schema: schemaRef(schema),
        examples: Object.fromEntries(
          Object.entries(codes).map(([code, detail]) => [code, { value: { detail, code } }]),
        ),
      },
    },
  },
});

/** A 503 with the time to wait. */
const unavailable = (description: string, codes: Readonly<Record<string, string>>): Entry =>
  error(503, description, codes, ['Retry-After']);

const described = (
  status: number,
  description: string,
  name: 'Faults' | 'RateLimited',
  headers: Json,
): Entry => ({
  status,
  response: { description, headers, content: { 'application/json': { schema: schemaRef(name) } } },
});

const KEY_INVALID = { key_invalid: 'The API key is not known or was revoked' };
const MALFORMED = { payment_malformed: 'The payment cannot be read: it is not base64' };
const UNLISTED = {
  events_unknown: 'The events of the market are not known yet, so it cannot be said which are active',
};
const DAMAGED = {
  store_damaged: 'What was asked for is damaged in the store and is being repaired',
};
/** Only where several machines serve. */
const ENGINE_AWAY = { engine_unavailable: 'The engine did not answer in time; try again' };
/** For seconds after a start, of what is not stored. */
const STARTING = { starting: 'The service starts: it reads its own log' };
const UNSETTLED = {
  payment_pending:
    'Whether the payment was settled is not known yet; send the same one again, do not pay anew',
  payments_unavailable: 'Payments cannot be taken at the moment, and nothing was charged',
  store_unavailable: 'The payment could not be written down, and nothing was charged',
};

const REFUSALS: Readonly<Record<RefusalName, Entry>> = {
  NotModified: {
    status: 304,
    response: {
      description: 'Nothing changed since the ETag that was sent. Costs no quota.',
      headers: headerRefs(['ETag']),
    },
  },
  WalletInvalid: error(400, 'The wallet is not an address, or the payment cannot be read.', {
    wallet_invalid: 'The wallet is not 0x and 40 hexadecimal characters',
    ...MALFORMED,
  }),
  PaymentMalformed: error(400, 'The payment cannot be read.', MALFORMED),
  BodyIncomplete: error(400, 'The connection ended before the body did.', {
    body_incomplete: 'The connection ended before the body did',
  }),
  ChannelUnknown: error(400, 'There is no such channel or account, or they are too many for a stream.', {
    channel_unknown: 'There is no channel "prices"',
    account_unknown: 'There is no account "account_c" on counters',
    too_many_channels: "This would be 801 channels, counting each account's own; a stream has at most 300",
  }),
  AccountUnknown: error(
    404,
    'There is no such account; the answer lists those there are. Or the account has no such endpoint.',
    { account_unknown: 'There is no such account, only account_a, account_b', not_found: 'Not Found' },
    [],
    'AccountUnknown',
  ),
  EventUnknown: error(
    404,
    'There is no such event of the account, or no such account; the answer lists those there are.',
    {
      event_unknown: 'The account has no such event',
      account_unknown: 'There is no such account, only account_a, account_b',
      not_found: 'Not Found',
    },
    [],
    'EventUnknown',
  ),
  AlertUnknown: error(404, 'The calling key has no such rule.', { alert_unknown: 'There is no such rule' }),
  AlertsFull: error(409, 'The calling key has as many rules as it may have.', {
    alerts_full: 'There are 50 rules already: remove one first',
  }),
  UpgradeRequired: error(426, 'The request asks for neither a WebSocket nor an event stream.', {
    upgrade_required: 'This is a feed: ask for a WebSocket, or send Accept: text/event-stream',
  }),
  TooManyFeeds: described(
    429,
    'The address or the key holds too many connections to the feed, or opens them too often.',
    'RateLimited',
    headerRefs(['Retry-After']),
  ),
  FeedUnavailable: unavailable(
    'All connections to the feed are taken, the service starts or stops, or what is stored is damaged.',
    {
      feed_full: 'All connections to the feed are taken',
      stopping: 'The service stops',
      ...STARTING,
      ...DAMAGED,
    },
  ),
  KeyInvalid: error(401, 'The key that was sent is not known. No key is needed.', KEY_INVALID, [
    'WWW-Authenticate',
  ]),
  Unauthorized: error(
    401,
    'The caller has no key of the needed tier, or sent an unknown key.',
    {
      key_missing: 'This needs a key of tier PRO',
      ...KEY_INVALID,
      tier_too_low: 'This needs a key of tier PRO, and the key sent is FREE',
    },
    ['WWW-Authenticate', 'PAYMENT-REQUIRED'],
    'Unpaid',
  ),
  PaymentRefused: error(
    402,
    'The payment was not accepted. Nothing was charged, unless it paid for an earlier call.',
    {
      payment_refused: 'The payment is refused: invalid_network',
      payment_failed: 'The payment could not be settled',
      payment_used: 'The payment was used for another call, or its reply is no longer kept',
    },
    ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'],
    'Unpaid',
  ),
  PaymentInProgress: error(
    409,
    'Another call with the same payment is under way.',
    { payment_in_progress: 'A call with this payment is under way' },
    ['Retry-After'],
  ),
  BodyTooLarge: error(413, 'The body is larger than 16 KiB.', {
    body_too_large: 'The body is larger than 16384 bytes',
  }),
  UnsupportedMediaType: error(415, 'The body is not sent as JSON, or is compressed.', {
    unsupported_media_type: 'The body has to be application/json',
  }),
  Invalid: described(422, 'Parameters or body are invalid; the answer lists every fault.', 'Faults', {}),
  OverLimit: described(
    429,
    'The hourly limit or the share of the service is used up, or too many unknown keys or refused payments came from the address. Costs no quota.',
    'RateLimited',
    headerRefs(['Retry-After', ...LIMIT_HEADERS]),
  ),
  TooManyBadKeys: described(
    429,
    'The share of the service is used up, or too many unknown keys or refused payments came from the address.',
    'RateLimited',
    headerRefs(['Retry-After']),
  ),
  TooMuchTraffic: described(
    429,
    'The caller was served more than its share of the service within a minute.',
    'RateLimited',
    headerRefs(['Retry-After']),
  ),
  HeadersTooLarge: error(431, 'More than 12 KiB of headers.', {
    headers_too_large: 'Request Header Fields Too Large',
  }),
  Internal: error(500, 'A bug in the service. The answer has no details.', {
    internal: 'Internal Server Error',
  }),
  MarketUnreachable: unavailable(
    'The positions could not be read from the market, the service starts, the events are not known yet, the outcome of a payment is unknown, what is stored is damaged, or the engine does not answer.',
    {
      market_unreachable: 'The market could not be asked for the positions',
      ...STARTING,
      ...UNLISTED,
      ...UNSETTLED,
      ...DAMAGED,
      ...ENGINE_AWAY,
    },
  ),
  PastBusy: unavailable(
    'The service starts, the events are not known yet, too many requests with as_of are waiting, the outcome of a payment is unknown, what is stored is damaged, or the engine does not answer.',
    {
      past_busy: 'Too many questions about the past are waiting',
      ...STARTING,
      ...UNLISTED,
      ...UNSETTLED,
      ...DAMAGED,
      ...ENGINE_AWAY,
    },
  ),
  EngineUnavailable: unavailable(
    'Whether the call is within its limit is not known, as the engine does not answer.',
    ENGINE_AWAY,
  ),
  ScoresUnknown: unavailable('Of more than 20 accounts, until all scores of the past were looked through.', {
    starting: 'The service starts: it looks through the scores of the past',
  }),
  EventsUnknown: unavailable('The events of the market are not known yet.', UNLISTED),
  StoreDamaged: unavailable(
    'What is stored is damaged and is being repaired, or the engine does not answer.',
    { ...DAMAGED, ...ENGINE_AWAY },
  ),
  AlertsUnavailable: unavailable(
    'The service starts, the rule could not be stored, what is stored is damaged, or the engine does not answer.',
    {
      store_unavailable: 'The rule could not be stored; nothing was changed',
      ...STARTING,
      ...DAMAGED,
      ...ENGINE_AWAY,
    },
  ),
  StoreUnavailable: unavailable('The place could not be stored, or the engine does not answer.', {
    store_unavailable: 'The place could not be kept; try again',
    ...ENGINE_AWAY,
  }),
};

const KEY_REFUSALS: Readonly<Record<Operation['access'], readonly RefusalName[]>> = {
  open: [],
  public: ['KeyInvalid'],
  tiered: ['Unauthorized'],
  PRO: ['Unauthorized'],
  INTERNAL: ['Unauthorized'],
};
const PAID = ['PaymentMalformed', 'PaymentRefused', 'PaymentInProgress'] as const;

export function refusalResponses(): Json {
  return Object.fromEntries(Object.entries(REFUSALS).map(([name, { response }]) => [name, response]));
}

/** Every answer of an operation except its success, by status. */
export function refusalsOf(operation: Operation): Json {
  const { access, isCounted, isConditional, query, refusals = [] } = operation;
  const names: readonly RefusalName[] = [
    ...(isConditional ? (['NotModified'] as const) : []),
    ...(isPerAccount(operation) ? (['AccountUnknown'] as const) : []),
    ...KEY_REFUSALS[hasPast(operation) ? 'PRO' : access],
    ...(isSold(operation) ? PAID : []),
    ...(query === undefined ? [] : (['Invalid'] as const)),
    isCounted ? 'OverLimit' : access === 'open' ? 'TooMuchTraffic' : 'TooManyBadKeys',
    'HeadersTooLarge',
    'Internal',
    ...(isCounted ? (['EngineUnavailable'] as const) : []),
    ...(hasPast(operation) ? (['PastBusy'] as const) : []),
    ...refusals,
  ];
  return Object.fromEntries(
    names.map((name) => [String(REFUSALS[name].status), { $ref: `#/components/responses/${name}` }]),
  );
}
