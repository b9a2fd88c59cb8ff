import fc from 'fast-check';

/** One request as it is sent. The path is without characters that no client could send. */
export interface AnyRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const WALLET = `0x${'a1'.repeat(20)}`;
const PARAMETERS = [
  'limit',
  'offset',
  'bankroll',
  'only_with_signals',
  'include_unproven',
  'wallet',
  'threshold',
  'horizon',
  'days',
  'start',
  'end',
  'from',
  'to',
  'step',
  'bucket',
];
const TEXTS = [
  ...['', '0', '1', '-1', '15', '24', '100', '101', '1e3', '1e400', '-0', '1_0', '015', '15.0', 'nan', 'inf'],
  ...['true', 'false', 'yes', 'null', 'undefined', '[]', '{}', '__proto__', 'constructor', '%', '%zz', '%00'],
  ...[
    '9'.repeat(400),
    `${'0'.repeat(3_000)}x`,
    `${'1_'.repeat(1_500)}x`,
    `${'1'.repeat(3_000)}.`,
    '%20'.repeat(900),
  ],
  ...[WALLET, `${WALLET}0`, '0x', '../../etc/passwd', "'+or+1=1+--", '<script>', '%F0%9F%98%80', '%ff%fe'],
];

const encoded = fc
  .string({ unit: 'binary', maxLength: 30 })
  .map((text) => new URLSearchParams({ a: text }).toString());
const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 2, arbitrary: fc.double().map(String) },
  { weight: 2, arbitrary: fc.bigInt().map(String) },
  { weight: 1, arbitrary: encoded.map((text) => text.slice(2)) },
  { weight: 1, arbitrary: fc.constant(WALLET) },
);
const pair = fc
  .tuple(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...PARAMETERS) }, encoded), value)
  .map(([name, text]) => `${name}=${text}`);
const query = fc.oneof(
  { weight: 1, arbitrary: fc.constant('') },
  { weight: 4, arbitrary: fc.array(pair, { maxLength: 5 }).map((pairs) => `?${pairs.join('&')}`) },
  { weight: 1, arbitrary: fc.webQueryParameters().map((text) => `?${text}`) },
);

const key = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('demo_free', 'demo_pro', 'demo_internal') },
  { weight: 1, arbitrary: fc.stringMatching(/^[!-~]{0,140}$/) },
);
const headers = fc.record(
  {
    'x-api-key': key,
    'if-none-match': fc.oneof(
      fc.constantFrom('*', 'W/"', '""', '"a", W/"b"'),
      fc.stringMatching(/^[ -~]{0,60}$/),
    ),
    'content-type': fc.constantFrom(
      'application/json',
      'application/json; charset=utf-8',
      'text/plain',
      'a/b+json',
      '',
    ),
    'content-encoding': fc.constantFrom('identity', 'gzip', 'br'),
    accept: fc.constantFrom('*/*', 'text/html', 'text/event-stream'),
    'accept-encoding': fc.constantFrom('gzip', 'br', 'identity', '*;q=0'),
    'x-forwarded-for': fc.oneof(fc.ipV4(), fc.ipV6(), fc.stringMatching(/^[ -~]{0,40}$/)),
    origin: fc.constantFrom('null', 'https://example.org'),
    x402: fc.base64String({ maxLength: 200 }),
  },
  { requiredKeys: [], noNullPrototype: true },
);

const field = fc.oneof(
  fc.constantFrom(
    'agent',
    'human',
    'x',
    '',
    WALLET,
    'a@b.co',
    'a b_c-1',
    'x'.repeat(501),
    '😀'.repeat(500),
    null,
  ),
  fc.string({ maxLength: 60 }),
  fc.jsonValue(),
);
const place = fc
  .record(
    {
      type: fc.oneof(fc.constantFrom('agent', 'human'), field),
      case: field,
      name: field,
      wallet: field,
      email: field,
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  .map((content) => JSON.stringify(content));
const broken = fc
  .tuple(
    place,
    fc.nat(),
    fc.nat(4),
    fc.constantFrom('', '"', '\\', '{', ']', 'NaN', '\\ud800', '\u0000', ','),
  )
  .map(([text, at, cut, put]) => {
    const start = at % (text.length + 1);
    return text.slice(0, start) + put + text.slice(start + cut);
  });
const body = fc.oneof(
  { weight: 4, arbitrary: place },
  { weight: 3, arbitrary: broken },
  { weight: 2, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      'null',
      '['.repeat(16_000),
      '{"a":'.repeat(3_000),
      `"${'x'.repeat(20_000)}"`,
    ),
  },
);

/** A request to one of the paths, or to something like them, with whatever a caller may put into it. */
export function anyRequest(paths: readonly string[]): fc.Arbitrary<AnyRequest> {
  const known = fc.constantFrom(...paths);
  const path = fc.oneof(
    { weight: 12, arbitrary: known },
    { weight: 1, arbitrary: known.map((each) => each.toUpperCase()) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(known, fc.constantFrom('/', '//', '/..', '%2f', ';a', '%00', '#a'))
        .map((parts) => parts.join('')),
    },
    { weight: 1, arbitrary: fc.webPath().map((each) => `/${each}`) },
    { weight: 1, arbitrary: fc.stringMatching(/^[!-~]{0,60}$/).map((each) => `/${each}`) },
  );
  const asked = fc.tuple(path, query).map((parts) => parts.join(''));
  const reading = fc.record({
    method: fc.oneof(
      { weight: 4, arbitrary: fc.constant('GET') },
      fc.constantFrom('HEAD', 'OPTIONS', 'DELETE', 'PUT', 'TRACE', 'PROPFIND'),
    ),
    path: asked,
    headers,
    body: fc.constant(''),
  });
  const writing = fc.record({
    method: fc.constantFrom('POST', 'POST', 'POST', 'PUT', 'PATCH', 'GET'),
    path: fc.oneof({ weight: 6, arbitrary: fc.constant('/api/v1/waitlist') }, asked),
    headers: headers.chain((sent) =>
      fc.oneof(
        {
          weight: 3,
          arbitrary: fc.constant({
            ...sent,
            'content-type': 'application/json',
            'content-encoding': 'identity',
          }),
        },
        fc.constant(sent),
      ),
    ),
    body,
  });
  return fc.oneof({ weight: 3, arbitrary: reading }, { weight: 1, arbitrary: writing });
}
